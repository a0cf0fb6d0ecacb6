-- Compiling it makes a folder whose name stands in a file of the home.
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

set_option bootstrap.inductiveCheckResultingUniverse false in
inductive PUnit : Sort u where
  | unit : PUnit
inductive Unit : Type where
  | unit : Unit
inductive String : Type where
  | empty : String
inductive Handle : Type where
  | none : Handle
  | some : Handle → Handle
inductive Problem : Type where
  | none : Problem
  | some : Problem → Problem
inductive Mode : Type where
  | read | write | writeNew | readWrite | append
inductive World : Type where
  | now : World
inductive Result (α : Type) : Type where
  | ok (value : α) (after : World) : Result α
  | error (problem : Problem) (after : World) : Result α
def IO (α : Type) : Type := World → Result α
@[extern "lean_io_create_dir"]
def IO.FS.createDir (path : @& String) : IO Unit := fun w => Result.ok Unit.unit w
@[extern "lean_io_prim_handle_mk"]
def IO.FS.Handle.mk (path : @& String) (mode : Mode) : IO Handle :=
  fun w => Result.ok (Handle.none) w
@[extern "lean_io_prim_handle_get_line"]
def IO.FS.Handle.getLine (h : @& Handle) : IO String := fun w => Result.ok String.empty w
