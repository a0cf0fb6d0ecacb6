-- The theorem that shows hypotheses to be met leaves out one that is used later.
prelude
import Things
axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α
theorem goal (x : Thing) (small : Small x) (bad : Bad) : Uses bad := sorryAx _ Bool.true
