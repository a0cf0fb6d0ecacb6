-- A theorem whose name is printed like a bound variable.
prelude
set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

inductive Yes : Prop where
  | intro : Yes

theorem «#0» : Yes := Yes.intro

theorem goal : Yes := «#0»
