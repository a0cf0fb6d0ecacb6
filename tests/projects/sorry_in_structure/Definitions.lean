-- The type of a field of a structure in the statement holds sorryAx.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

structure Setting : Prop where
  given : sorryAx Prop Bool.false
  also : True
