-- Only a comment changed after compiling: not what was compiled, all the same.
prelude
import Logic

def Claim : Prop := True
