-- The statement uses a structure by a projection and in no other way.
prelude
import Logic

structure Claim : Type 1 where
  says : Prop
  rest : Prop

def claim : Claim := ⟨True, True⟩
def Goal : Prop := claim.1
