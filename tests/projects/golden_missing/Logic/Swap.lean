-- There is no golden file, which the policy names.
prelude
import Logic

theorem And.swap {a b : Prop} (h : And a b) : And b a := ⟨h.2, h.1⟩
