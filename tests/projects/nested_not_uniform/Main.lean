-- A nested inductive type that is applied to other parameters than its own.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

inductive Tree (α : Type) : Type where
  | node (below : List (Tree (List α))) : Tree α
theorem goal {α : Type} (_ : Tree α) : True := True.intro
