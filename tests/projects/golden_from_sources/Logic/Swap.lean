-- The golden file was made without Lean.
prelude
import Logic

theorem And.swap {a b : Prop} (h : And a b) : And b a := ⟨h.2, h.1⟩
