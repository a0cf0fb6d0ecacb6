-- Replaces a compiled module while another file is compiled.
prelude
import World

@[init] def act : IO Unit := fun w =>
  Result.ok (Unit.wrap (IO.FS.rename "data.bin" "build/embedded/lib/Definitions.olean" w)) w
