-- The theorem that shows hypotheses to be met is not about one that cannot be met.
prelude
import Things
theorem goal (x : Thing) (small : Small x) (y : Thing) (bad : Absurd y) : And (Small x) False := And.intro small bad
theorem met : Exists fun x : Thing => Small x := Exists.intro Thing.only True.intro
