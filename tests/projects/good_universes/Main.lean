-- Universe parameters have other names in challenge and solution.
prelude
import Definitions

theorem helper.{a, b} {α : Type a} {β : Type b} (p : Pair α β) :
    Eq (Pair.mk p.fst p.snd) p :=
  Eq.refl
theorem Pair.turn_turn.{w, u_2} {α : Type w} {β : Type u_2} (p : Pair α β) : Eq p.turn.turn p :=
  helper p
