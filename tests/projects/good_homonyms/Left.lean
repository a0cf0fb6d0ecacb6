-- Theorems of the same last name in two namespaces, each the one asked for.
prelude
import Logic

namespace Left
theorem goal : True := True.intro
end Left
