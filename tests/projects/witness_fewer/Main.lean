-- The theorem that shows hypotheses to be met leaves one of them out.
prelude
import Things

theorem goal (x : Thing) (small : Small x) (round : Round x) : And (Round x) (Small x) :=
  And.intro round small
theorem met : Exists fun x : Thing => Small x := Exists.intro Thing.only True.intro
