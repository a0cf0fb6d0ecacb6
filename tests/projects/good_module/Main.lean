-- Files of the module system: a public theorem over private ones.
module
prelude
public import Logic
import Facts

theorem helper {a b : Prop} (h : And a b) : And b a := And.swap h
public theorem And.twice {a b : Prop} (h : And a b) : And a b := helper (helper h)
