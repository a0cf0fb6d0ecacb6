"""Links in the documents: what is here is there, what is elsewhere has an address's form."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from projects_for_tests import CHECKOUT

DOCUMENTS = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md",
             *sorted((CHECKOUT / "docs").glob("*.md"))]  # fmt: skip
FENCE = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
INLINE = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\))?)>?"
                    r"(?:\s+\"[^\"]*\")?\s*\)")  # fmt: skip
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$", re.MULTILINE)


def links(text: str) -> list[str]:
    """The targets of the links in a document, code left out."""
    plain = CODE.sub("code", FENCE.sub("", text))
    return INLINE.findall(plain) + REFERENCE.findall(plain)


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a document."""
    found: set[str] = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    times: dict[str, int] = {}
    for heading in re.findall(r"^ {0,3}#{1,6} +(.+?) *#* *$", FENCE.sub("", text), re.MULTILINE):
        shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")
        number = times.get(slug, 0)
        times[slug] = number + 1
        found.add(f"{slug}-{number}" if number else slug)
    return found


def broken(document: Path, root: Path) -> list[str]:
    """What is wrong with the links of a document in a repository."""
    wrong = []
    for link in links(document.read_text(encoding="utf-8")):
        parts = urlsplit(link)
        if parts.scheme or link.startswith("//"):
            if parts.scheme != "https" or "." not in parts.netloc or link != link.strip(".,;"):
                wrong.append(f"{link}: is no address")
            continue
        target = (document.parent / unquote(parts.path)).resolve() if parts.path else document
        if not target.is_relative_to(root) or not target.exists():
            wrong.append(f"{link}: is not there")
        elif parts.fragment and (
            target.suffix != ".md" or parts.fragment not in anchors(target.read_text("utf-8"))
        ):
            wrong.append(f"{link}: has no such heading")
    return wrong


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    assert links(document.read_text(encoding="utf-8"))
    assert broken(document, CHECKOUT) == []


def test_documents_are_found() -> None:
    names = {path.name for path in DOCUMENTS}
    assert {"README.md", "CONTRIBUTING.md", "trust.md", "proof.md", "paper_mapping.md"} <= names


def test_broken_links_are_seen(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "b c.md").write_text("# Lean's kernel\n\n# Lean's kernel\n", "utf-8")
    document = tmp_path / "A.md"
    document.write_text(
        "# One `two`: three\n\n[a](docs/b%20c.md#leans-kernel) [b](docs/b%20c.md#leans-kernel-1)\n"
        "[c](#one-two-three) [x [y]](https://example.org/a_(b)) `[code](no)`\n"
        "```\n[code](no)\n# No heading\n```\n[r]: docs\n",
        encoding="utf-8",
    )
    assert broken(document, tmp_path) == []
    bad = {
        "[a](docs/b.md)": "docs/b.md: is not there",
        "[a](../outside.md)": "../outside.md: is not there",
        "[a](docs/b%20c.md#kernel)": "docs/b%20c.md#kernel: has no such heading",
        "[a](#no-heading)": "#no-heading: has no such heading",
        "[a](docs#x)": "docs#x: has no such heading",
        "[a](http://example.org)": "http://example.org: is no address",
        "[a](https://example)": "https://example: is no address",
        "[r]: gone.md": "gone.md: is not there",
    }
    for text, problem in bad.items():
        document.write_text(f"# One\n\n```\n# No heading\n```\n{text}\n", encoding="utf-8")
        assert broken(document, tmp_path) == [problem]
