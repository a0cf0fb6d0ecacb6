-- A definition that the statement uses rests on sorryAx.
prelude
import Logic

def premise : Prop := sorryAx _ Bool.false
def Goal : Prop := premise → premise
