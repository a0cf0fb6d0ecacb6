-- Two compiled modules are of another project: consistent, and not of these sources.
prelude
import Logic

def Claim : Prop := True
