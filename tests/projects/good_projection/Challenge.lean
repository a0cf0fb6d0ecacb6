-- The statement uses a structure by a projection and in no other way.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem goal : claim.1 := sorryAx _ Bool.true
