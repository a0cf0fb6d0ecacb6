-- The theorem stands in another namespace than the target.
prelude
import Logic

namespace Other
theorem goal : True := True.intro
end Other
