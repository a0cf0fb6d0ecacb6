-- Compiling it removes a source: an initializer runs when a file imports it.
prelude
import World

@[init] def act : IO Unit := IO.FS.removeFile "World.lean"
