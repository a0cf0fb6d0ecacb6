-- The golden file says another thing of a definition than is there.
prelude
import Logic

theorem And.swap {a b : Prop} (h : And a b) : And b a := ⟨h.2, h.1⟩
