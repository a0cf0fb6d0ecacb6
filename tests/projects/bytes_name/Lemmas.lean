-- A flipped bit in a name makes the proof use another constant.
prelude
import Logic

theorem lemma_a : True := True.intro
theorem lemma_c {p : Prop} (h : p) : p := h
