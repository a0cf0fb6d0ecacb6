-- Of two theorems of one last name, the target is the one over an axiom.
prelude
import Left

namespace Right
axiom wish : True
theorem goal : True := wish
end Right
