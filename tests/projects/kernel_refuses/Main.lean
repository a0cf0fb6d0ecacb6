-- The elaborator lets it through and the kernel refuses: an error all the same.
prelude
import Logic

set_option linter.defProp false in
unsafe def loop : False := loop
theorem goal : False := loop
