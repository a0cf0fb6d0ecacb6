/-
What the words of the statement mean. A project that imports Lean's library defines less; one for
the Lean inside the wheel begins with nothing.
-/
prelude

-- What Lean's compiler asks for by name.
unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

/-- Two propositions that both hold. -/
inductive And (a b : Prop) : Prop where
  | intro (left : a) (right : b) : And a b
