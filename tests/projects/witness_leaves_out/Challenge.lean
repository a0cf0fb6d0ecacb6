-- The theorem that shows hypotheses to be met is not about one that cannot be met.
prelude
import Things
axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α
theorem goal (x : Thing) (small : Small x) (y : Thing) (bad : Absurd y) : And (Small x) False :=
  sorryAx _ Bool.true
