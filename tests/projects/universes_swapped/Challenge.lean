-- Two universe parameters stand in the other order than in the challenge.
prelude
import Logic

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem goal.{u, v} (α : Type u) (β : Type v) (_ : α → β) : True := sorryAx _ Bool.true
