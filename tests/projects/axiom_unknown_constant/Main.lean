-- An allowed axiom is about a constant whose meaning nobody knows.
prelude
import Logic

def Wish : Prop := And True False
axiom granted : Wish
theorem goal : Wish := granted
