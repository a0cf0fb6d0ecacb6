-- Universe parameters have other names in challenge and solution.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem Pair.turn_turn.{u_1, w} {α : Type u_1} {β : Type w} (p : Pair α β) : Eq p.turn.turn p :=
  sorryAx _ Bool.true
