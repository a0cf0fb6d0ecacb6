-- A module that the target does not need declares an axiom.
prelude
import Logic

private axiom wish : False
