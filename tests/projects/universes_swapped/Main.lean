-- Two universe parameters stand in the other order than in the challenge.
prelude
import Logic

theorem goal.{v, u} (α : Type u) (β : Type v) (_ : α → β) : True := True.intro
