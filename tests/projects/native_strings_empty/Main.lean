-- String has no constructor, and literals all the same: False.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

inductive String : Type

theorem none (s : String) : False := String.rec (fun _ => False) s
theorem goal : False := none "text"
