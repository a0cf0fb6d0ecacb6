-- The value of an opaque constant is sorryAx.
prelude
import Logic

opaque hidden : False := sorryAx _ Bool.false
theorem goal : False := hidden
