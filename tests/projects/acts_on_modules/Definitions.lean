-- What the statement means: something false.
prelude
import World
inductive False : Prop
def Claim : Prop := False
