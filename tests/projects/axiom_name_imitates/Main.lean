-- Axioms whose names print almost like the allowed ones.
prelude
import Logic

axiom «propext » : False
axiom «propext, Classical.choice» : True
axiom «Classical.choice» : True
theorem goal : And False True := And.intro «propext » «propext, Classical.choice»
theorem other : True := «Classical.choice»
