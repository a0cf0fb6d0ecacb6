-- Compiling it removes a source: an initializer runs when a file imports it.
prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

inductive True : Prop where
  | intro : True

inductive Unit : Type where
  | unit : Unit
inductive String : Type where
  | empty : String
inductive World : Type where
  | now : World
inductive Result (α : Type) : Type where
  | ok (value : α) (after : World) : Result α
  | error (value : α) (after : World) : Result α
def IO (α : Type) : Type := World → Result α
@[extern "lean_io_remove_file"]
def IO.FS.removeFile (path : @& String) : IO Unit := fun w => Result.ok Unit.unit w
