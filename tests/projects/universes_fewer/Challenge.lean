-- The challenge is about every universe, the theorem about one.
prelude
import Logic

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem goal.{u} {α : Type u} (a : α) : Eq a a := sorryAx _ Bool.true
