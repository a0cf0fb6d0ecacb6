-- Another structure stands behind a projection than in the challenge.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem goal (c : Claim) : Goal c := sorryAx _ Bool.true
