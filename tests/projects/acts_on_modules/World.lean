-- What is needed to act while a file is compiled.
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

inductive World : Type where
  | now : World
inductive Raw : Type where
  | none : Raw
  | some (f : World → World) : Raw
inductive Unit : Type where
  | unit : Unit
  | wrap (r : Raw) : Unit
inductive String : Type where
  | empty : String
inductive Result (α : Type) : Type where
  | ok (value : α) (after : World) : Result α
  | error (value : α) (after : World) : Result α
def IO (α : Type) : Type := World → Result α
@[extern "lean_io_rename"]
def IO.FS.rename (a b : @& String) (w : World) : Raw := Raw.none
