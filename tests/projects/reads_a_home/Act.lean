-- Compiling it makes a folder whose name stands in a file of the home.
prelude
import World

@[init] def act : IO Unit := fun w =>
  (IO.FS.Handle.mk "HOME/note" Mode.read w).casesOn (motive := fun _ => Result Unit)
    (fun handle _ => (IO.FS.Handle.getLine handle w).casesOn (motive := fun _ => Result Unit)
      (fun line _ => IO.FS.createDir line w)
      (fun _ _ => IO.FS.createDir "/the note/cannot be read" w))
    (fun _ _ => IO.FS.createDir "/the note/cannot be found" w)
