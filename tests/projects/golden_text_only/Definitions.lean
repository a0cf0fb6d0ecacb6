-- A file does not compile: of the golden file only the text can be compared.
prelude
import Logic

def Both (a b : Prop) : Prop := And a b
