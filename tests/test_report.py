"""The page of a verification, as a user gets it from `report.py`."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from harness.report.document import LARGEST, DocumentError, parse
from harness.verdict import Verdict
from projects_for_tests import CHECKOUT, RECORDINGS, SCRIPTS, Played, play, run_script
from report_support import MAIN, SCOPE, constant, small, step, synthetic, tangled, target, write

Done = subprocess.CompletedProcess[str]
MIB = 1 << 20


class Page(HTMLParser):
    """What of a page matters here: elements with attributes, and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def values(self, attribute: str, tag: str | None = None) -> list[str]:
        found = (a.get(attribute) for t, a in self.elements if tag in (None, t))
        return [value for value in found if value is not None]


def made(document: dict[str, Any], folder: Path, *arguments: str | Path) -> Page:
    output = folder / "page.html"
    done = run_script(
        "report.py", str(write(document, folder)), "--output", str(output), *map(str, arguments)
    )
    assert done.returncode == 0, done.stderr
    return Page(output.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The page of a verification of this project, made up."""
    return made(synthetic(), tmp_path_factory.mktemp("full"))


# What the page says


def test_page_begins_with_verdict_and_scope(full: Page) -> None:
    title = full.html[full.html.index("<title>") : full.html.index("</title>")]
    assert title.startswith("<title>ACCEPTED (SYNTHETIC")
    heading = full.html[full.html.index("<h1>") : full.html.index("</h1>")]
    assert "ACCEPTED" in heading and SCOPE in heading


def test_every_verdict_on_a_page_of_less_than_the_whole_has_its_scope(full: Page) -> None:
    assert full.text.count("ACCEPTED") == full.text.count(SCOPE)


def test_hypotheses_stand_with_meaning_lean_and_use(full: Page) -> None:
    text = full.text
    for row in (
        "assumed at least one input, d ≥ 1 The proof does not use this. 0 < d assumed",
        "θ is a local minimum of the loss, not necessarily strict, isolated or global. L ( θ )"[
            :77
        ],
        "claimed the network computes the same function,",
        "prediction (scale α θ) = prediction θ claimed",
    ):
        assert row in text, row
    assert text.count("The proof does not use this.") == 4


def test_lean_text_of_the_verification_is_shown(full: Page) -> None:
    assert "theorem ArbitrarilySharpEquivalentMinima : -- For every input dimension" in full.text
    assert "Lean text as it is written, from the verification." in full.text


def test_without_text_the_printed_type_is_shown(tmp_path: Path) -> None:
    document = synthetic()
    first = document["targets"][0]
    first["text"], first["statement"]["prettyType"] = None, "∀ (d : ℕ), PRINTED d"
    text = made(document, tmp_path).text
    assert f"{MAIN} : ∀ (d : ℕ), PRINTED d" in text
    assert "Lean text as the verification prints it." in text


def test_without_either_the_text_is_the_repositorys_and_marked_so(tmp_path: Path) -> None:
    document = synthetic()
    document["targets"][0]["text"] = None
    text = made(document, tmp_path).text
    assert (
        "Lean text from the repository as it is now; the verification does not contain it" in text
    )


def test_mathematics_of_another_statement_is_not_shown(tmp_path: Path) -> None:
    document = synthetic()
    first = document["targets"][0]
    first["text"] = first["text"].replace("M ≤ ‖", "¬ M ≤ ‖")
    page = made(document, tmp_path)
    assert "The statement in mathematics is not that of the Lean text" in page.text
    assert "the new minimum is as sharp as was asked" not in page.text
    assert "¬ M ≤ ‖" in page.text


def test_a_project_without_statements_shows_lean_alone(tmp_path: Path) -> None:
    text = made(small(), tmp_path).text
    assert "In Lean Nowhere.main : True" in text
    assert "In mathematics" not in text and "DinhSharpness" not in text


def test_what_did_not_run_is_not_called_checked(tmp_path: Path) -> None:
    document = synthetic(
        verdict="COULD NOT RUN",
        scope="whole",
        steps=[step("pins"), step("build", "could-not-run"), step("replay", "not-run")],
        targets=[
            target(MAIN, verdict="COULD NOT RUN", statement=None),
        ],
    )
    text = made(document, tmp_path).text
    for said in (
        "This is not a verdict on the proof: evidence is missing.",
        "Looked at and passed: pins.",
        "build: build: made up",
        "Did Lean compile it? ? not known",
        "Did a kernel check it once more? – not known",
        "Nothing counts as replayed:",
        "Not known: none of the ways to the axioms passed",
        "it has not been compiled yet",
    ):
        assert said in text, said
    assert "ACCEPTED" not in text
    assert "✓ yes" not in text


def test_rejected_shows_the_violation_and_what_to_do(tmp_path: Path) -> None:
    finding = {
        "rule": "axiom-not-allowed",
        "level": "violation",
        "message": "rests on h",
        "file": "Main.lean",
        "line": 3,
        "column": 4,
        "declaration": "Nowhere.main",
        "evidence": None,
        "remedy": "Prove h.",
    }
    document = small(
        verdict="REJECTED",
        findings=[finding],
        steps=[step("build"), step("terms", "failed"), step("cross-check", "failed")],
        targets=[target("Nowhere.main", verdict="REJECTED")],
    )
    text = made(document, tmp_path).text
    assert "REJECTED" in text and "1 violation, listed under Findings." in text
    assert "axiom-not-allowed violation, Main.lean:3:4, Nowhere.main" in text
    assert "What to do: Prove h." in text


def test_a_namespace_that_is_a_definition_too_stays_in_names(tmp_path: Path) -> None:
    graph = {"Both.symm": ["Both"], "Both": []}
    one = target("Both.symm", graph=graph, definitions=[constant("Both", "def")])
    labels = made(small(targets=[one]), tmp_path).values("aria-label", "a")
    assert labels == ["Both.symm, theorem", "Both, def"]
    graph = {"Nowhere.main": ["Nowhere.other"]}
    labels = made(small(targets=[target("Nowhere.main", graph=graph)]), tmp_path).values(
        "aria-label", "a"
    )
    assert labels == ["main, theorem", "other, declaration"]


def test_axioms_stand_with_types_and_ways(tmp_path: Path) -> None:
    axioms = [{"name": "propext", "type": "False", "by": ["terms"]}]
    text = made(small(targets=[target("Nowhere.main", axioms=axioms)]), tmp_path).text
    assert "propext Its type as a term: False Reported by: terms. Used by: Nowhere.main" in text
    # The meaning is that of another type.
    assert "Two propositions that imply each other" not in text


def test_definitions_stand_in_order(full: Page) -> None:
    names = [w for w in full.words if w in ("Input", "Parameter", "prediction", "hessian")]
    first = list(dict.fromkeys(names))
    assert first == ["Input", "Parameter", "prediction", "hessian"]


def test_what_is_not_claimed_stands_with_the_claims(full: Page, tmp_path: Path) -> None:
    claims = full.text.partition("What is claimed Lean is")[2].partition("What the words mean")[0]
    assert "What is not claimed Nothing is said about generalization" in claims
    assert "In the words of the repository." in claims
    assert "What is not claimed" not in made(small(), tmp_path).text


def test_everything_not_looked_at_is_there(tmp_path: Path) -> None:
    document = small(not_looked_at=["the moon", "the sea"])
    text = made(document, tmp_path).text
    assert "What was not looked at the moon the sea" in text


def test_picture_says_what_it_is_drawn_from(full: Page, tmp_path: Path) -> None:
    assert "as the audit of the verification has them" in full.text
    from_terms = synthetic(steps=[step("build"), step("terms"), step("print")])
    assert "as the terms of the verification have them" in made(from_terms, tmp_path).text
    without = synthetic(targets=[target(MAIN, statement=None)])
    page = made(without, tmp_path)
    assert "Drawn from what the Lean files import" in page.text
    assert "Mathlib.Analysis.InnerProductSpace.PiL2, imported from elsewhere" in page.values(
        "aria-label", "a"
    )


def test_list_has_the_nodes_and_uses_of_the_graph(full: Page) -> None:
    graph: dict[str, list[str]] = {}
    for one in synthetic()["targets"]:
        graph |= one["graph"]
    nodes = [i for i in full.values("id", "a") if i.startswith("n")]
    entries = [i for i in full.values("id", "li") if i.startswith("d")]
    assert len(nodes) == len(entries) == len(graph) > 60
    uses = [h for h in full.values("href", "a") if h.startswith("#d")]
    assert len(uses) == sum(map(len, graph.values()))


# The page as a file


def test_nothing_is_fetched_and_nothing_runs(full: Page) -> None:
    tags = {tag for tag, _ in full.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert "default-src 'none'" in full.html
    assert "http:" not in full.html.replace("http://www.w3.org/2000/svg", "")
    assert "https:" not in full.html
    assert not [a for _, attributes in full.elements for a in attributes if a.startswith("on")]
    assert "style" not in {a for _, attributes in full.elements for a in attributes}


def test_anchors_are_unique_and_links_lead_somewhere(full: Page) -> None:
    ids = full.values("id")
    assert len(ids) == len(set(ids))
    for attribute in ("aria-labelledby", "aria-describedby"):
        assert set(full.values(attribute)) <= set(ids)
    for link in full.values("href"):
        assert not link.startswith("#") or link[1:] in ids


def test_source_links_are_relative_to_the_page() -> None:
    output = CHECKOUT / "build" / "links of a test é.html"
    try:
        done = run_script("report.py", str(write(synthetic(), CHECKOUT / "build")),
                          "--output", str(output))  # fmt: skip
        assert done.returncode == 0, done.stderr
        page = Page(output.read_text(encoding="utf-8"))
        links = {link for link in page.values("href") if not link.startswith("#")}
        assert "../DinhSharpness/ArbitrarilySharp.lean" in links
        for link in links:
            assert (output.parent / unquote(link)).is_file(), link
    finally:
        output.unlink(missing_ok=True)
        (CHECKOUT / "build" / "verification.json").unlink(missing_ok=True)


def test_headings_are_in_order(full: Page) -> None:
    levels = [int(tag[1]) for tag, _ in full.elements if tag in ("h1", "h2", "h3", "h4", "h5")]
    assert levels[0] == 1 and levels.count(1) == 1
    # A theorem in a fold stands below the heading of its section.
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_markup_in_a_verification_is_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7*7 }}</style></title>"
    finding = {
        "rule": evil,
        "level": "warning",
        "message": evil,
        "file": evil,
        "line": 1,
        "column": 1,
        "declaration": evil,
        "evidence": evil,
        "remedy": evil,
    }
    document = small(
        scope=evil,
        project=evil,
        time=evil,
        versions={evil: evil},
        findings=[finding],
        not_looked_at=[evil],
        steps=[step("terms"), step("replay"), {**step("print"), "name": evil, "detail": evil}],
        targets=[
            target(
                evil,
                text=evil,
                statement=constant(evil, evil),
                graph={evil: [evil + "1"], evil + "1": []},
                axioms=[{"name": evil, "type": evil, "by": ["terms"]}],
                hypotheses=[{"name": evil, "type": evil, "explicit": True, "used": False}],
                definitions=[constant(evil, evil, text=evil)],
            )
        ],
    )
    page = made(document, tmp_path)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "img"}
    assert page.text.count("<script>alert(1)</script>") > 15
    assert "{{ 7*7 }}" in page.text and "49" not in page.text


def test_characters_that_steer_are_replaced(tmp_path: Path) -> None:
    page = made(small(scope="a\u202eDETPECCA\x1b[1m\ud800b"), tmp_path)
    assert "(a\ufffdDETPECCA\ufffd[1m\ufffdb)" in page.text


def test_page_of_a_large_graph_stays_small(tmp_path: Path) -> None:
    graph = tangled(400)
    names = list(graph)
    targets = [target(name, graph=graph) for name in names[:7]]
    page = made(small(targets=targets), tmp_path)
    assert len([i for i in page.values("id", "a") if i.startswith("n")]) == 400
    assert len(page.html.encode()) < MIB


def test_a_graph_that_is_too_large_is_not_drawn(tmp_path: Path) -> None:
    page = made(small(targets=[target("Nowhere.main", graph=tangled(3000))]), tmp_path)
    assert "The graph has 3,000 declarations" in page.text
    assert len(page.html.encode()) < MIB


def test_long_texts_are_cut_and_the_page_says_so(tmp_path: Path) -> None:
    page = made(small(targets=[target("Nowhere.main", text="x" * 3_000_000)]), tmp_path)
    assert "Cut here: 2,994,000 more characters are left out." in page.text
    assert len(page.html.encode()) < MIB


# What is refused


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    document = copy.deepcopy(small())
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d["steps"][0].update(status="not-run"), "the step 'self-test' is 'not-run'"),
        (lambda d: d["steps"][0].update(status="failed", required=False), "is 'failed'"),
        (lambda d: [s.update(required=False) for s in d["steps"]], "without a step"),
        (lambda d: d["targets"][0].update(verdict="COULD NOT RUN"), "is COULD NOT RUN"),
        (lambda d: d.update(verdict="REJECTED"), "REJECTED without a violation"),
        (lambda d: d.update(verdict="COULD NOT RUN"), "is ACCEPTED"),
        (lambda d: d["steps"].append(d["steps"][0]), "stands twice"),
        (lambda d: d["targets"].append(d["targets"][0]), "stands twice"),
        (
            lambda d: d["targets"][0].update(
                axioms=[{"name": "sorryAx", "type": "x", "by": ["terms"]}]
            ),
            "rests on sorryAx",
        ),
        (
            lambda d: d.update(steps=[s for s in d["steps"] if s["name"] in ("pins", "replay")]),
            "known in no way",
        ),
        (
            lambda d: d.update(
                findings=[
                    {"rule": "axiom-not-allowed", "level": "warning", "message": "", "remedy": ""}
                ]
            ),
            "has the level 'warning'",
        ),
        (
            lambda d: d.update(
                findings=[{"rule": "axiom-not-allowed", "level": "violation", "message": ""}]
            ),
            "ACCEPTED with a violation",
        ),
    ],
)
def test_a_verification_that_contradicts_itself_is_refused(
    change: Callable[[dict[str, Any]], object], says: str
) -> None:
    with pytest.raises(DocumentError, match=says):
        parse(changed(change))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not JSON"),
        ("[]", "no object"),
        ("{}", "schema 1"),
        ('{"schema": true}', "schema 1"),
        ('{"schema": 2}', "schema 1"),
        ('{"schema": 1, "schema": 1}', "key twice"),
        ('{"schema": NaN}', "NaN"),
        ("[" * 100_000, "is not JSON"),
        ("9" * 5000, "is not JSON"),
        (changed(lambda d: d.pop("verdict")), "`verdict` is no text"),
        (changed(lambda d: d.update(verdict="accepted")), "no verdict"),
        (changed(lambda d: d["steps"][0].update(required="yes")), "neither true nor false"),
        (changed(lambda d: d["steps"][0].update(seconds=-1)), "seconds"),
        (changed(lambda d: d["targets"][0].update(graph=[])), "no object"),
        (changed(lambda d: d["targets"][0].update(graph={"a": [1]})), "no list of texts"),
        (changed(lambda d: d["targets"][0].update(text=3)), "`text` is no text"),
        (changed(lambda d: d.update(findings=None)), "findings is no list"),
        (changed(lambda d: d.update(versions={"lean": 4})), "`lean` is no text"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_verification_of_another_form_is_refused(text: str, says: str) -> None:
    with pytest.raises(DocumentError, match=says):
        parse(text)


def refused(*arguments: str | Path) -> str:
    done = run_script("report.py", *map(str, arguments))
    assert done.returncode == 2, done.stdout
    assert done.stdout == ""
    assert done.stderr.startswith("report.py: ") and done.stderr.count("\n") == 1
    return done.stderr


def test_bad_input_is_refused_in_one_line(tmp_path: Path) -> None:
    output = ("--output", tmp_path / "page.html")
    (tmp_path / "broken.json").write_text('{"schema": 1,', encoding="utf-8")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(LARGEST + 1)
    os.mkfifo(tmp_path / "pipe.json")
    assert "cannot be read: No such file" in refused(tmp_path / "none.json", *output)
    assert "is not JSON: line 1" in refused(tmp_path / "broken.json", *output)
    assert "is not UTF-8 text" in refused(tmp_path / "binary.json", *output)
    assert "more than the" in refused(tmp_path / "huge.json", *output)
    assert "no ordinary file" in refused(tmp_path / "pipe.json", *output)
    assert "no ordinary file" in refused(tmp_path, *output)
    assert "cannot be read" in refused(
        tmp_path / "none.json", "--output", tmp_path / "new" / "page.html"
    )
    assert not (tmp_path / "page.html").exists() and not (tmp_path / "new").exists()


def test_output_that_must_not_or_cannot_be_written_is_refused(tmp_path: Path) -> None:
    file = write(small(), tmp_path)
    copied = tmp_path / "copy.html"
    copied.write_bytes(file.read_bytes())
    lean = tmp_path / "Main.lean"
    lean.write_text("prelude\n", encoding="utf-8")
    (tmp_path / "link.html").symlink_to(lean)
    (tmp_path / "folder.html").mkdir()
    assert "is the verification itself" in refused(copied, "--output", copied)
    assert "is the verification itself" in refused(file, "--output", file)
    assert "ends in .html" in refused(file, "--output", lean)
    assert "ends in .html" in refused(file, "--output", tmp_path / "link.html")
    assert "is a folder" in refused(file, "--output", tmp_path / "folder.html")
    assert "where no output goes" in refused(file, "--output", tmp_path / ".git" / "page.html")
    assert "no folder can be made" in refused(file, "--output", lean / "page.html")
    assert "among the scripts" in refused(
        file, "--output", SCRIPTS / "harness" / "report" / "page.html"
    )
    assert copied.read_bytes() == file.read_bytes()
    assert lean.read_text(encoding="utf-8") == "prelude\n"


def test_another_page_is_not_written_over_and_an_earlier_one_is(tmp_path: Path) -> None:
    file, output = write(small(), tmp_path), tmp_path / "index.html"
    output.write_text("<!DOCTYPE html>\n<title>Mine</title>\n", encoding="utf-8")
    assert "is not written over" in refused(file, "--output", output)
    assert "Mine" in output.read_text(encoding="utf-8")
    output.unlink()
    for _ in range(2):
        assert run_script("report.py", str(file), "--output", str(output)).returncode == 0


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users are POSIX")
def test_output_where_nobody_may_write_is_refused(tmp_path: Path) -> None:
    file = write(small(), tmp_path)
    folder = Path("/proc/self") if os.geteuid() == 0 else tmp_path / "closed"
    if folder.name == "closed":
        folder.mkdir(mode=0o500)
    assert "cannot be written" in refused(file, "--output", folder / "page.html")


def test_without_jinja2_it_says_how_to_get_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", "import sys; sys.path.insert(0, sys.argv.pop(1)); import "
         "report; sys.exit(report.main(sys.argv[1:]))", SCRIPTS, write(small(), tmp_path)],
        capture_output=True, encoding="utf-8", timeout=60, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install jinja2" in done.stderr
    assert not (tmp_path / "build").exists()


def test_help_says_that_the_exit_status_is_no_verdict() -> None:
    done = run_script("report.py", "--help")
    assert done.returncode == 0
    assert "It stands for no verdict" in " ".join(done.stdout.split())


# Verifications that were run


def verified(played: Played, output: Path, *arguments: str) -> tuple[Done, Page]:
    done = played.run("report.py", "--output", str(output), *arguments)
    return done, Page(output.read_text(encoding="utf-8"))


def test_without_a_file_the_page_is_of_a_verification_run_now(good: Played, tmp_path: Path) -> None:
    done, page = verified(good, tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert "Demo: COULD NOT RUN" in done.stdout
    assert "COULD NOT RUN" in page.html[page.html.index("<h1>") :][:200]
    assert "Did Lean compile it? ✓ yes" in page.text
    assert "Demo.main" in page.text
    assert "a verification that was run for it" in page.text


def test_a_rejected_project_gets_its_page(tmp_path: Path) -> None:
    played = play(RECORDINGS / "sorry", tmp_path / "p")
    done, page = verified(played, tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert "REJECTED" in page.html[page.html.index("<h1>") :][:200]
    assert "sorry-in-environment" in page.text


def test_what_verify_writes_is_what_the_page_reads(good: Played, tmp_path: Path) -> None:
    file = tmp_path / "v.json"
    good.run("verify.py", "--json", str(file))
    document = parse(file.read_text(encoding="utf-8"))
    assert document.verdict is Verdict.COULD_NOT_RUN
    assert document.targets[0].name == "Demo.main"


def test_the_same_verification_gives_the_same_page(tmp_path: Path) -> None:
    assert made(synthetic(), tmp_path).html == made(synthetic(), tmp_path).html
