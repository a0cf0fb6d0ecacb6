"""Compiled modules, written by the Lean inside the wheel, read and replayed."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import replay_support as support
from harness.replay import export, modules
from harness.replay import terms as t
from harness.replay.facts import is_odd
from harness.replay.result import Stop

GOOD = {"Base": support.BASE, "Types": support.TYPES, "Top": support.TOP}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return support.compiled(tmp_path_factory.mktemp("good"), GOOD)


@pytest.fixture
def spoiled(good: Path, tmp_path: Path) -> Path:
    """Copy the modules, to be changed."""
    return Path(shutil.copytree(good, tmp_path / "copy"))


def source_of(folder: Path, module: str, *names: str) -> t.Source:
    program = modules.gather(t.parse_name(module), [folder])
    reader = modules.Reader(program)
    reader.read([t.parse_name(n) for n in names] or list(program.modules[-1].constants))
    return reader.source


def test_good_modules(good: Path) -> None:
    done = support.of_modules(good, "Top", *support.TARGETS, jobs=2)
    assert support.rules(done) == []
    assert done.exit_status == 0
    assert all(target.checked for target in done.targets)
    axioms = {target.name: target.axioms for target in done.targets}
    assert axioms["same"] == ("propext",)
    assert axioms["sound"] == ("Quot.sound",)
    assert axioms["eta"] == ()
    assert "Nat.add" in done.primitives
    assert done.scope == "cone"


def test_everything_of_the_root_without_targets(good: Path) -> None:
    done = support.of_modules(good, "Top")
    assert (done.exit_status, support.rules(done)) == (0, [])
    assert done.declarations["theorem"] >= 10


def test_unsafe_declarations_are_listed(good: Path) -> None:
    done = support.of_modules(good, "Base")
    assert ("lcProof", "unsafe") in done.skipped


def test_the_export_has_the_same_declarations(good: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.ndjson"
    done = support.of_modules(good, "Top", *support.TARGETS, write=file)
    assert done.exit_status == 0
    again = support.replayed(file.read_bytes(), tmp_path, targets=support.TARGETS)
    assert (again.exit_status, support.rules(again)) == (0, [])
    assert again.declarations == done.declarations
    one, two = source_of(good, "Top", *support.TARGETS), export.read(file)
    same = t.Comparison(one.terms, two.terms)
    for index, constant in one.constants.items():
        there = two.find(one.terms.names[index])
        assert there is not None
        assert same.constants(constant, there)
    assert len(two.constants) == len(one.constants)
    assert file.with_name("out.ndjson.manifest.json").is_file()


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile two modules of the kind that is written in three parts."""
    hidden = f"""module
prelude
{support.HEAD}
public inductive Nat where | zero | succ (n : Nat)
public inductive Eq {{α : Sort u}} : α → α → Prop where | refl (a : α) : Eq a a
theorem secret (n : Nat) : Eq n n := Eq.refl n
public theorem shown (n : Nat) : Eq n n := secret n
"""
    user = """module
prelude
public import Hidden
public theorem used (n : Nat) : Eq n n := shown n
"""
    folder = tmp_path_factory.mktemp("parts")
    return support.compiled(folder, {"Hidden": hidden, "User": user})


def test_private_proofs_are_read(parts: Path) -> None:
    done = support.of_modules(parts, "User", "used")
    assert (done.exit_status, support.rules(done)) == (0, [])
    # The proof of `shown` is in the private part, and what it rests on.
    assert done.declarations == {"inductive": 2, "theorem": 3}


@pytest.mark.parametrize("suffix", [".server", ".private"])
def test_a_missing_part(parts: Path, tmp_path: Path, suffix: str) -> None:
    folder = Path(shutil.copytree(parts, tmp_path / "copy"))
    (folder / f"Hidden.olean{suffix}").unlink()
    done = support.of_modules(folder, "User", "used")
    assert done.exit_status == 2
    assert "Hidden" in done.findings[0].message


def test_parts_from_elsewhere(parts: Path, good: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(parts, tmp_path / "copy"))
    for suffix in (".server", ".private"):
        shutil.copy(folder / f"Hidden.olean{suffix}", folder / f"User.olean{suffix}")
    assert support.of_modules(folder, "User", "used").exit_status == 2
    other = Path(shutil.copytree(good, tmp_path / "other"))
    for suffix in (".server", ".private"):
        shutil.copy(parts / f"User.olean{suffix}", other / f"Top.olean{suffix}")
    done = support.of_modules(other, "Top", "same")
    assert support.rules(done) == ["modules-unreadable"]


def test_another_version(spoiled: Path) -> None:
    file = spoiled / "Types.olean"
    data = bytearray(file.read_bytes())
    data[7:13] = b"4.30.0"
    file.write_bytes(data)
    done = support.of_modules(spoiled, "Top", "even_two")
    assert done.exit_status == 2
    assert "4.30.0" in done.findings[0].message
    assert "4.35.0" in done.findings[0].message


@pytest.mark.parametrize(
    ("offset", "value"), [(0, b"x"), (5, b"\3"), (40, b"0" * 40)], ids=["magic", "format", "hash"]
)
def test_another_header(spoiled: Path, offset: int, value: bytes) -> None:
    file = spoiled / "Base.olean"
    data = bytearray(file.read_bytes())
    data[offset : offset + len(value)] = value
    file.write_bytes(data)
    assert support.of_modules(spoiled, "Top", "even_two").exit_status == 2


@pytest.mark.parametrize("size", [0, 50, 87, 100, 1000, 4096, -1, -8])
def test_cut_off(spoiled: Path, size: int) -> None:
    file = spoiled / "Base.olean"
    file.write_bytes(file.read_bytes()[:size])
    done = support.of_modules(spoiled, "Top", *support.TARGETS)
    assert done.exit_status == 2, done.findings
    assert "Base" in done.findings[0].message


def test_missing_module(spoiled: Path) -> None:
    (spoiled / "Types.olean").unlink()
    done = support.of_modules(spoiled, "Top", "even_two")
    assert support.rules(done) == ["modules-unreadable"]
    assert "Types" in done.findings[0].message


def test_targets_come_from_what_the_root_imports(good: Path) -> None:
    done = support.of_modules(good, "Types", "even_two")
    assert support.rules(done) == ["target-missing"]


@pytest.mark.parametrize(
    ("name", "rule", "word"),
    [
        ("homonym", "not-a-theorem", "definition"),
        ("Quot.mk", "not-a-theorem", "quotient"),
        ("propext", "not-a-theorem", "axiom"),
        ("hidden", "not-a-theorem", "opaque"),
        ("inner", "target-missing", "_private.Top.0.inner"),
        ("A.even_two", "target-missing", "even_two"),
        ("nothing", "target-missing", "nothing"),
    ],
)
def test_what_is_no_target(good: Path, name: str, rule: str, word: str) -> None:
    done = support.of_modules(good, "Top", name)
    assert rule in support.rules(done)
    assert word in done.findings[0].message
    assert done.exit_status == 1


def test_axioms_are_judged(tmp_path: Path) -> None:
    folder = support.compiled(
        tmp_path,
        {
            "Base": support.BASE,
            "Lemma": "prelude\nimport Base\ntheorem far : False := sorryAx _ Bool.false\n"
            "axiom mine : False\nopaque veil : Eq Nat.zero Nat.zero := sorryAx _ Bool.true\n"
            "noncomputable def Bad : Prop := sorryAx _ Bool.false\n"
            "structure Holder where\n  value : Nat\n  proof : Bad\n",
            "Top": "prelude\nimport Lemma\ntheorem near : False := far\n"
            "theorem own : False := mine\ntheorem veiled : Eq veil veil := Eq.refl veil\n"
            "theorem stated (b : Bad) : Bad := b\n"
            "theorem clean (n : Nat) : Eq n n := Eq.refl n\n"
            "theorem held (h : Holder) : Eq h.value h.value := Eq.refl _\n",
        },
    )
    for target, axiom in {
        "near": "sorryAx",
        "own": "mine",
        "veiled": "sorryAx",
        "stated": "sorryAx",
        "held": "sorryAx",
    }.items():
        done = support.of_modules(folder, "Top", target)
        assert support.rules(done) == ["axiom-not-allowed"]
        assert done.targets[0].axioms == (axiom,)
        assert done.exit_status == 1
    done = support.of_modules(folder, "Top", "clean")
    assert done.exit_status == 0
    assert {a.name for a in done.axioms} >= {"mine", "sorryAx"}
    assert {a.module for a in done.axioms if a.name == "mine"} == {"Lemma"}


def test_skipping_the_kernel_is_seen(tmp_path: Path) -> None:
    folder = support.compiled(
        tmp_path,
        {
            "Base": support.BASE,
            "Top": "prelude\nimport Base\nunsafe def loop : False := loop\n"
            "set_option debug.skipKernelTC true in\ntheorem bad : False := loop\n",
        },
    )
    done = support.of_modules(folder, "Top", "bad")
    assert support.rules(done) == ["kernel-rejects"]
    assert done.exit_status == 1
    assert ("loop", "unsafe") in done.skipped


def test_two_modules_that_assume_what_the_other_proves(tmp_path: Path) -> None:
    left = "prelude\nimport Base\naxiom one : False\ntheorem two : False := one\n"
    right = "prelude\nimport Base\naxiom two : False\ntheorem one : False := two\n"
    folder = support.compiled(
        tmp_path,
        {
            "Base": support.BASE,
            "Left": left,
            "Right": right,
            "Both": "prelude\nimport Left\nimport Right\ntheorem three : False := one\n",
        },
    )
    done = support.of_modules(folder, "Both", "three")
    assert done.exit_status == 1
    assert "declared-twice" in support.rules(done)


def test_flipped_bits_never_crash_and_never_pass_unseen(good: Path, tmp_path: Path) -> None:
    """Flip bits; one may change nothing that a target uses, and then the terms are the same."""
    rng = random.Random(7)
    before = source_of(good, "Top", *support.TARGETS)
    folder = Path(shutil.copytree(good, tmp_path / "copy"))
    seen = 0
    for _ in range(400):
        name = rng.choice(("Base", "Types", "Top"))
        file = folder / f"{name}.olean"
        whole = file.read_bytes()
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        file.write_bytes(data)
        try:
            after = source_of(folder, "Top", *support.TARGETS)
        except Stop:
            seen += 1
        else:
            if not alike(before, after):
                seen += 1
        file.write_bytes(whole)
    assert seen > 40


def alike(one: t.Source, two: t.Source) -> bool:
    same = t.Comparison(one.terms, two.terms)
    return len(one.constants) == len(two.constants) and all(
        (there := two.find(one.terms.names[index])) is not None and same.constants(constant, there)
        for index, constant in one.constants.items()
    )


def test_flipped_bytes_inside_a_value(good: Path, spoiled: Path) -> None:
    """Replace a name that a proof uses in the image."""
    file = spoiled / "Top.olean"
    data = file.read_bytes()
    assert b"refl\0" in data
    file.write_bytes(data.replace(b"refl\0", b"rexl\0"))
    done = support.of_modules(spoiled, "Top", "add_zero")
    assert done.exit_status == 1
    assert "kernel-rejects" in support.rules(done)


def test_an_outline_that_lies_is_unreadable_wherever_it_is_read(
    good: Path, spoiled: Path, tmp_path: Path
) -> None:
    """Let each entry of the list of constants lead to something else than a constant."""
    file = spoiled / "Base.olean"
    whole = file.read_bytes()
    image = modules.Image([file])
    words = memoryview(bytearray(whole)).cast("Q")
    start, infos = image.object(image.root(0), 0, 5)[:3:2]
    place = (infos - image.headers[0].base >> 3) + 3
    refused = 0
    for at in range(place, place + words[place - 2]):
        before, words[at] = words[at], start
        file.write_bytes(words.tobytes())
        reader = modules.Reader(modules.gather(("Base",), [spoiled]))
        for look in (lambda r: list(r.kinds(r.program.modules[0])), lambda r: r.axioms()):
            try:
                look(reader)
            except Stop as stop:
                assert stop.finding.rule == "modules-unreadable"
                refused += 1
        words[at] = before
    assert refused > 10


def test_names_of_modules_stay_inside_the_path(tmp_path: Path) -> None:
    for name in (("..", "x"), ("a/b",), ("",), ()):
        assert modules.file_of(name, [tmp_path]) is None


def test_reads_what_the_library_reads(good: Path) -> None:
    """Look at what an outline has."""
    found = modules.load(("Base",), [good])
    assert ("Nat",) in found.constants
    assert ("Nat", "rec") in found.constants
    assert found.imports == ()
    assert modules.load(("Top",), [good]).imports == (("Types",),)


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        (("Demo", "main"), False),
        (("Demo", "two words"), False),
        (("Demo", "a.b"), False),
        (("_private", "M", 0, "x"), False),
        (("x", "_@", "M", 14, "_hygCtx", "_hyg", 2), False),
        (("a✝",), False),
        (("Sort",), True),
        (("#0",), True),
        (("?m",), True),
        ((42,), True),
        (("a»b",), True),
        (("f x", "_hyg"), True),
    ],
)
def test_names_that_could_be_taken_for_something_else(
    name: tuple[str | int, ...], odd: bool
) -> None:
    assert is_odd(name) is odd
