-- An axiom has the name of an allowed one, and another type.
prelude
import Logic

axiom propext : False
theorem goal : And False False := And.intro propext propext
