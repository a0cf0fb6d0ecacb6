-- The target is an axiom, even one that the policy allows.
prelude
import Logic

axiom propext {a b : Prop} : Iff a b → Eq a b
