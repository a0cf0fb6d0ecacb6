"""What the tests of the replay share: exports of the developments, and replays of texts."""

from __future__ import annotations

import functools
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness import process
from harness.replay import kernel, replay
from harness.replay.result import Replay

TESTS = Path(__file__).resolve().parent
SCRIPTS = TESTS.parent / "scripts"


@functools.cache
def library() -> Path:
    """Find the library that the tests use."""
    return kernel.find()


def python(*arguments: str | Path, seconds: float = 300.0) -> process.Outcome:
    """Run a file of the tests in a process of its own."""
    return process.run(
        [sys.executable, "-X", "utf8", *arguments],
        cwd=TESTS,
        seconds=seconds,
        env=process.environment({"PYTHONPATH": f"{SCRIPTS}:{TESTS}"}),
    )


@functools.cache
def exports() -> dict[str, str]:
    """Write all developments, once, and give their texts."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = python(TESTS / "terms_library.py", library(), folder)
        assert outcome.ok, outcome.stderr
        return {file.stem: file.read_text(encoding="utf-8") for file in Path(folder).iterdir()}


def records(text: str) -> list[dict[str, Any]]:
    """Take an export apart."""
    return [json.loads(line) for line in text.splitlines()]


def joined(lines: Iterable[dict[str, Any]]) -> str:
    """Put an export together."""
    return "".join(
        json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines
    )


def replayed(text: str | bytes, folder: Path, **options: Any) -> Replay:
    """Replay a text as an export."""
    file = folder / "export.ndjson"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    targets = tuple(map(replay.target, options.pop("targets", ())))
    options.setdefault("allowed", replay.STANDARD_AXIOMS if targets else None)
    options.setdefault("seconds", 60.0)
    return replay.replay(replay.Request(export=file, targets=targets, **options))


def rules(done: Replay) -> list[str]:
    """Give the rules of what was found."""
    return [finding.rule for finding in done.findings]


_LEAN = """
import ctypes, pathlib, sys
folder = pathlib.Path(sys.argv[1])
for name in ("libInit_shared.so", "libleanshared_2.so", "libleanshared_1.so"):
    if (folder / name).is_file():
        ctypes.CDLL(str(folder / name), mode=ctypes.RTLD_GLOBAL)
lean = ctypes.CDLL(str(folder / "libleanshared.so"), mode=ctypes.RTLD_GLOBAL)
words = [b"lean", *(x.encode() for x in sys.argv[2:])]
sys.exit(lean.lean_main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)))
"""

HEAD = """
set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false
set_option bootstrap.inductiveCheckResultingUniverse false
universe u v
"""

BASE = f"""prelude
{HEAD}
unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof : Prop
inductive PUnit : Sort u where | unit
inductive Nat where | zero | succ (n : Nat)
inductive False : Prop
inductive Eq {{α : Sort u}} : α → α → Prop where | refl (a : α) : Eq a a
theorem Eq.ndrec {{α : Sort u}} {{a : α}} {{motive : α → Prop}} (m : motive a) {{b : α}}
    (h : Eq a b) : motive b := Eq.rec (motive := fun x _ => motive x) m h
inductive List (α : Type u) where | nil | cons (head : α) (tail : List α)
structure Pair (α : Type u) (β : Type v) where
  first : α
  second : β
structure Iff (a b : Prop) : Prop where
  intro ::
  mp : a → b
  mpr : b → a
axiom propext {{a b : Prop}} : Iff a b → Eq a b
init_quot
axiom Quot.sound {{α : Sort u}} {{r : α → α → Prop}} {{a b : α}} :
  r a b → Eq (Quot.mk r a) (Quot.mk r b)
noncomputable def Nat.add (x y : Nat) : Nat := Nat.rec x (fun _ ih => Nat.succ ih) y
opaque hidden : Nat := Nat.zero
axiom sorryAx (α : Sort u) (synthetic : Bool) : α
""".replace("axiom sorryAx", "inductive Bool where | false | true\naxiom sorryAx")

TYPES = f"""prelude
import Base
{HEAD}
mutual
inductive Even : Nat → Prop where
  | zero : Even Nat.zero
  | step : Odd n → Even (Nat.succ n)
inductive Odd : Nat → Prop where
  | step : Even n → Odd (Nat.succ n)
end
inductive Rose where | node (children : List Rose)
inductive W (α : Type) (β : α → Type) where | sup (a : α) (f : β a → W α β)
"""

TOP = """prelude
import Types
theorem even_two : Even (Nat.succ (Nat.succ Nat.zero)) :=
  @Even.step (Nat.succ Nat.zero) (@Odd.step Nat.zero Even.zero)
theorem add_zero (n : Nat) : Eq (Nat.add n Nat.zero) n := Eq.refl n
theorem same (p : Prop) : Eq p p := propext (Iff.intro (fun h => h) (fun h => h))
theorem eta (p : Pair Nat Nat) : Eq (Pair.mk p.first p.second) p := Eq.refl p
theorem sound (r : Nat → Nat → Prop) (a b : Nat) (h : r a b) :
    Eq (Quot.mk r a) (Quot.mk r b) := Quot.sound h
private theorem inner (n : Nat) : Eq n n := Eq.refl n
theorem outer' (h₂é : Nat) : Eq h₂é h₂é := inner h₂é
namespace A
theorem «odd name» : Eq hidden hidden := Eq.refl hidden
theorem homonym (n : Nat) : Eq n n := Eq.refl n
end A
noncomputable def homonym : Nat := Nat.zero
noncomputable def rose (r : Rose) : Rose := r
theorem rose_self (r : Rose) : Eq (rose r) r := Eq.refl r
"""
TARGETS = ("even_two", "add_zero", "same", "eta", "sound", "outer'", "A.«odd name»", "rose_self")


def lean(folder: Path, *arguments: str) -> process.Outcome:
    """Run the Lean inside the wheel."""
    return process.run(
        [sys.executable, "-c", _LEAN, str(library().parent), *arguments],
        cwd=folder,
        seconds=120,
        env=process.environment({"LEAN_PATH": str(folder)}),
    )


def compiled(folder: Path, sources: dict[str, str]) -> Path:
    """Compile modules in order; give the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for module, text in sources.items():
        file = folder.joinpath(*module.split(".")).with_suffix(".lean")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        olean = file.with_suffix(".olean")
        relative = str(file.relative_to(folder))
        outcome = lean(folder, "-R", ".", relative, "-o", str(olean.relative_to(folder)))
        assert outcome.ok, outcome.stdout + outcome.stderr
    return folder


def of_modules(folder: Path, module: str, *targets: str, **options: Any) -> Replay:
    """Replay compiled modules."""
    wanted = tuple(map(replay.target, targets))
    options.setdefault("allowed", replay.STANDARD_AXIOMS if targets else None)
    return replay.replay(
        replay.Request(path=(folder,), module=module, targets=wanted, seconds=60.0, **options)
    )
