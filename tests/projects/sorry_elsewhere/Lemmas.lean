-- A lemma in another module rests on sorryAx.
prelude
import Logic

theorem absurd_lemma : False := sorryAx _ Bool.false
