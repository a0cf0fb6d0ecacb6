-- The theorem that shows hypotheses to be met assumes all of them.
prelude
import Things

theorem goal (x : Thing) (small : Small x) (round : Round x) : And (Round x) (Small x) :=
  And.intro round small
theorem met (x : Thing) (_ : Small x) (_ : Round x) : Exists fun _ : Thing => True :=
  Exists.intro x True.intro
