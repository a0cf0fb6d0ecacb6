-- A flipped bit in a name makes the proof use another constant.
prelude
import Lemmas

theorem goal : And True True := And.intro lemma_a lemma_a
