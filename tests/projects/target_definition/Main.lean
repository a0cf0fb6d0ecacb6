-- The target is a definition.
prelude
import Logic

set_option linter.defProp false
def goal : True := True.intro
