-- Classical.choice as it should be, over the real Nonempty.
prelude
import Logic

theorem chosen {p : Prop} (h : Nonempty p) : p := Classical.choice h
theorem some_function {α β : Type} (h : α → Nonempty β) : Nonempty (α → β) :=
  Nonempty.intro (fun a => Classical.choice (h a))
