-- A definition reads as in the golden file and is another term.
prelude
import Logic

theorem And.swap {a b : Prop} (h : And a b) : And b a := ⟨h.2, h.1⟩
