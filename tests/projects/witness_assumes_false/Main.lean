-- The theorem that shows hypotheses to be met assumes what cannot be met.
prelude
import Things
theorem goal (x : Thing) (small : Small x) (bad : False) : And (Small x) False := And.intro small bad
theorem met (bad : False) : Exists fun x : Thing => Small x := Exists.intro Thing.only True.intro
