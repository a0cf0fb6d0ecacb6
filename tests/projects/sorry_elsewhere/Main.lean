-- A lemma in another module rests on sorryAx.
prelude
import Lemmas

theorem goal : And False True := And.intro absurd_lemma True.intro
theorem clean : True := True.intro
