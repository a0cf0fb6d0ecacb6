-- Of two theorems of one last name, the target is the one over an axiom.
prelude
import Logic

namespace Left
theorem goal : True := True.intro
end Left
