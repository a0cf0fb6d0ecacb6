-- Beside the target: instances, abbreviations, an opaque constant, an unsafe one.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

inductive Data : Type where
  | one : Data
