-- An axiom hides in a definition that reduction makes disappear.
prelude
import Logic

axiom wish : False
noncomputable def Bad : Prop := False.rec (fun _ => Prop) wish
def First (a _ : Prop) : Prop := a
