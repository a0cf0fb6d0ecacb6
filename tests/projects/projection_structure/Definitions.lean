-- Another structure stands behind a projection than in the challenge.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

structure Claim : Type 1 where
  says : Prop
  rest : Prop

def Goal (c : Claim) : Prop := c.1 → c.1
