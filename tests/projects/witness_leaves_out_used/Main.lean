-- The theorem that shows hypotheses to be met leaves out one that is used later.
prelude
import Things
theorem goal (x : Thing) (small : Small x) (bad : Bad) : Uses bad := bad
theorem met : Exists fun x : Thing => Small x := Exists.intro Thing.only True.intro
