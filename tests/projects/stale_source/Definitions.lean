-- The source of the target changed after compiling.
prelude
import Logic

def Claim : Prop := True
