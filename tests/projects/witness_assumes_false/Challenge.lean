-- The theorem that shows hypotheses to be met assumes what cannot be met.
prelude
import Things
axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α
theorem goal (x : Thing) (small : Small x) (bad : False) : And (Small x) False := sorryAx _ Bool.true
