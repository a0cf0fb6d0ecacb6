-- Files of the module system: a public theorem over private ones.
module
prelude
public import Logic

theorem secret {a b : Prop} (h : And a b) : b := And.rec (fun _ y => y) h
public theorem And.first {a b : Prop} (h : And a b) : a := And.rec (fun x _ => x) h
private theorem third {a b : Prop} (h : And a b) : And b a := And.intro (secret h) (And.first h)
public theorem And.swap {a b : Prop} (h : And a b) : And b a := third h
