-- A file does not compile: of the golden file only the text can be compared.
prelude
import Logic

theorem And.swap {a b : Prop} (h : And a b) : And b a := ⟨h.2, h.1⟩
