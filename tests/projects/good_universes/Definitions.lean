-- Universe parameters have other names in challenge and solution.
prelude
import Logic

structure Pair.{u, v} (α : Type u) (β : Type v) : Type (max u v) where
  fst : α
  snd : β
def Pair.turn.{u, v} {α : Type u} {β : Type v} (p : Pair α β) : Pair β α := ⟨p.snd, p.fst⟩
