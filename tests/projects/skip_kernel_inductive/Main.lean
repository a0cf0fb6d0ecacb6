-- The option to go past the kernel does not reach inductive types: an error.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

set_option debug.skipKernelTC true in
inductive Liar : Type where
  | says (no : Liar → False) : Liar
theorem goal : True := True.intro
