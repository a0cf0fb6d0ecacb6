"""The page in a real browser: Debian's Chromium, driven by its own driver."""

from __future__ import annotations

import base64
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from projects_for_tests import CHECKOUT, run_script
from report_support import small, synthetic, tangled, target, write

ARGUMENTS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
PAGES = ("full", "here", "example", "tangled", "hostile")
EVIL = "<script>window.evil = 1</script>\"'><img src=x onerror='window.evil = 1'>"
JS = dict[str, Any]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Pages that lie where they lie for a user: in `build/`."""
    folder = CHECKOUT / "build"
    folder.mkdir(exist_ok=True)
    temporary = tmp_path_factory.mktemp("verifications")
    here = temporary / "here.json"
    # Without a Lean, whatever Lean this machine has.
    run_script("verify.py", "--toolchain", str(temporary), "--json", str(here))
    example = temporary / "example.json"
    run_script("verify.py", "--example", "--json", str(example), seconds=300)
    hostile = small(
        scope=EVIL,
        not_looked_at=[EVIL],
        targets=[target(EVIL, text=EVIL, graph={EVIL: [EVIL + "1"]})],
    )
    several = CHECKOUT / "tests" / "projects" / "good_several"
    sources: dict[str, tuple[Path, tuple[str, ...]]] = {"here": (here, ())}
    if example.exists():
        sources["example"] = (example, ("--project", str(several)))
    made = {
        "full": synthetic(),
        "tangled": small(targets=[target("Nowhere.main", graph=tangled(150))]),
        "hostile": hostile,
    }
    for name, document in made.items():
        (temporary / name).mkdir()
        sources[name] = (write(document, temporary / name), ())
    written = {}
    try:
        for name, (file, arguments) in sources.items():
            output = folder / f"test-{os.getpid()}-{name}.html"
            done = run_script("report.py", str(file), "--output", str(output), *arguments)
            assert done.returncode == 0, done.stderr
            written[name] = output
        yield written
    finally:
        for output in folder.glob(f"test-{os.getpid()}-*.html"):
            output.unlink()


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Chromium, with nothing in it and no way to a network."""
    browser, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if sys.platform == "win32" or browser is None or chromedriver is None:
        pytest.skip("there is no Chromium with its driver (Debian: chromium, chromium-driver)")
    options = Options()
    options.binary_location = browser
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    made = webdriver.Chrome(options=options, service=Service(chromedriver))
    yield made
    made.quit()


@pytest.fixture(params=PAGES)
def opened(request: pytest.FixtureRequest, driver: webdriver.Chrome, pages: dict[str, Path]) -> str:
    """One of the pages, opened."""
    name: str = request.param
    if name not in pages:
        pytest.skip("the example could not be run here")
    show(driver, pages[name])
    return name


def cdp(driver: webdriver.Chrome, command: str, **arguments: Any) -> JS:
    answer: JS = driver.execute_cdp_cmd(command, arguments)
    return answer


def log(driver: webdriver.Chrome, kind: str) -> list[JS]:
    """What a log has got since it was last asked for."""
    return list(driver.execute("getLog", {"type": kind})["value"])


def show(driver: webdriver.Chrome, page: Path, width: int = 1280, scheme: str = "light") -> None:
    cdp(
        driver,
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=900,
        deviceScaleFactor=1,
        mobile=width < 600,
    )
    feature = {"name": "prefers-color-scheme", "value": scheme}
    cdp(driver, "Emulation.setEmulatedMedia", media="", features=[feature])
    driver.get("about:blank")
    log(driver, "browser")
    log(driver, "performance")
    driver.get(page.as_uri())


def js(driver: webdriver.Chrome, script: str) -> Any:
    return driver.execute_script(script)


def test_console_is_quiet_and_nothing_else_is_loaded(driver: webdriver.Chrome, opened: str) -> None:
    assert log(driver, "browser") == []
    requests = [e for e in log(driver, "performance") if 'requestWillBeSent"' in e["message"]]
    assert len(requests) == 1, requests
    assert js(driver, "return document.scripts.length") == 0
    assert js(driver, "return document.images.length") == 0


def test_style_is_applied_under_the_policy(driver: webdriver.Chrome, opened: str) -> None:
    assert js(driver, "return getComputedStyle(document.body).marginTop") == "0px"
    assert js(driver, "return document.styleSheets[0].cssRules.length") > 40


def test_markup_of_a_verification_does_nothing(
    driver: webdriver.Chrome, pages: dict[str, Path]
) -> None:
    show(driver, pages["hostile"])
    assert js(driver, "return window.evil") is None
    assert EVIL in driver.title
    assert EVIL in js(driver, "return document.querySelector('h1').textContent")


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_page_never_scrolls_sideways(
    driver: webdriver.Chrome, pages: dict[str, Path], name: str, width: int
) -> None:
    if name not in pages:
        pytest.skip("the example could not be run here")
    show(driver, pages[name], width)
    js(driver, "document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert js(driver, "return innerWidth") == width
    assert js(driver, "return document.documentElement.scrollWidth") <= width


def test_every_link_leads_somewhere(
    driver: webdriver.Chrome, opened: str, pages: dict[str, Path]
) -> None:
    lost = js(
        driver,
        "return [...document.querySelectorAll('a')].map(a => a.getAttribute('href'))"
        ".filter(h => h.startsWith('#') && !document.getElementById(h.slice(1)))",
    )
    assert lost == []
    files = js(
        driver,
        "return [...document.querySelectorAll('a')].map(a => a.getAttribute('href'))"
        ".filter(h => !h.startsWith('#')).map(h => new URL(h, location).pathname)",
    )
    assert all(Path(file).is_file() for file in files)
    assert bool(files) == (opened in ("full", "here", "example"))


def test_picture_has_every_node_in_sight_of_its_frame(
    driver: webdriver.Chrome, opened: str, pages: dict[str, Path]
) -> None:
    boxes = js(
        driver,
        "const s = document.querySelector('svg').getBoundingClientRect();"
        "return [...document.querySelectorAll('svg a')].map(a => { const r = a.querySelector("
        "'rect').getBoundingClientRect(), t = a.querySelector('text').getBoundingClientRect();"
        "return [a.textContent, r.width > 0 && r.left >= s.left && r.right <= s.right &&"
        " r.top >= s.top && r.bottom <= s.bottom, t.left > r.left && t.right < r.right] })",
    )
    listed = js(
        driver,
        "return [...document.querySelectorAll('.nodes > li')].map(l => "
        "l.querySelector('code').textContent)",
    )
    assert [text for text, _, _ in boxes] == listed
    assert all(inside for _, inside, _ in boxes)
    assert [text for text, _, fits in boxes if not fits] == []
    expected = {"full": 60, "here": 15, "example": 5, "tangled": 150, "hostile": 2}
    assert len(boxes) >= expected[opened]


def test_mathematics_is_laid_out(driver: webdriver.Chrome, pages: dict[str, Path]) -> None:
    show(driver, pages["full"])
    sizes = js(
        driver,
        "return [...document.querySelectorAll('h3 ~ .pair math')].map(m => "
        "[m.namespaceURI, m.getBoundingClientRect().height])",
    )
    assert sizes
    for space, height in sizes:
        assert space == "http://www.w3.org/1998/Math/MathML"
        assert height > 12


def colors(driver: webdriver.Chrome) -> tuple[list[int], list[int]]:
    found = js(
        driver,
        "const s = getComputedStyle(document.body);"
        "return [s.color, s.backgroundColor].map(c => c.match(/\\d+/g).map(Number))",
    )
    return found[0], found[1]


def luminance(color: list[int]) -> float:
    parts = [c / 255 for c in color[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: list[int], b: list[int]) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["full", "here"])
def test_text_stands_out_in_light_and_dark(
    driver: webdriver.Chrome, pages: dict[str, Path], name: str, scheme: str
) -> None:
    show(driver, pages[name], scheme=scheme)
    ink, paper = colors(driver)
    assert (luminance(paper) > 0.5) == (scheme == "light")
    assert contrast(ink, paper) > 7
    pairs = js(
        driver,
        "const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e)"
        ".backgroundColor; if (!c.endsWith(', 0)')) return c } };"
        "return [...document.querySelectorAll('h1, h2, p, a, dt, dd, li, code, .tag, .soft, "
        ".state, summary, .role, .unused, .detail')].filter(e => e.getClientRects().length && "
        "!e.closest('svg')).map(e => [e.className, e.tagName, getComputedStyle(e).color, "
        "ground(e)].map((x, i) => i < 2 ? x : x.match(/\\d+/g).map(Number)))",
    )
    assert len(pairs) > 100
    for css, tag, text, ground in pairs:
        assert contrast(text, ground) >= 4.5, (css, tag, text, ground)


def test_first_stop_of_the_tab_key_skips_to_the_content(
    driver: webdriver.Chrome, pages: dict[str, Path]
) -> None:
    show(driver, pages["full"])
    ActionChains(driver).send_keys(Keys.TAB).perform()
    link = driver.switch_to.active_element
    assert link.text == "Skip to the content"
    assert js(driver, "return document.activeElement.getBoundingClientRect().left") >= 0
    ActionChains(driver).send_keys(Keys.ENTER).perform()
    assert driver.switch_to.active_element.get_attribute("id") == "main"


def test_tab_key_reaches_folds_and_nodes_and_shows_where_it_is(
    driver: webdriver.Chrome, pages: dict[str, Path]
) -> None:
    show(driver, pages["example"] if "example" in pages else pages["tangled"])
    seen: list[tuple[str, str]] = []
    for _ in range(60):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        tag, identity, mark = js(
            driver,
            "const e = document.activeElement, s = getComputedStyle(e);"
            "return [e.tagName, e.id, e.tagName === 'a' ?"
            " getComputedStyle(e.querySelector('rect')).strokeWidth : s.outlineWidth]",
        )
        if tag == "BODY":
            break
        assert mark == "3px", (tag, identity)
        seen.append((tag, identity))
        if tag == "a":
            card = js(
                driver,
                "return [...document.querySelectorAll('.card')].filter(c => c.offsetHeight)"
                ".map(c => c.id)",
            )
            assert card == ["s" + identity[1:]]
    tags = [tag for tag, _ in seen]
    assert tags.count("SUMMARY") >= 1
    nodes = [identity for tag, identity in seen if tag == "a"]
    everything = js(driver, "return [...document.querySelectorAll('svg a')].map(a => a.id)")
    assert nodes == everything[: len(nodes)]
    assert len(nodes) == min(len(everything), 60) or "tangled" in driver.current_url


def test_pointing_at_a_node_shows_what_it_says(
    driver: webdriver.Chrome, pages: dict[str, Path]
) -> None:
    show(driver, pages["full"])
    node = driver.find_element(By.CSS_SELECTOR, "svg a[aria-label^='exists_le_norm_hessian_scale']")
    js(driver, "document.querySelector('.frame').scrollIntoView()")
    ActionChains(driver).move_to_element(node).perform()
    text = driver.find_element(By.CSS_SELECTOR, ".cards").text
    assert "theorem exists_le_norm_hessian_scale" in text
    assert "Point at a box" not in text


def test_click_on_a_node_opens_its_source(driver: webdriver.Chrome, pages: dict[str, Path]) -> None:
    show(driver, pages["full"])
    node = driver.find_element(By.CSS_SELECTOR, "svg a.target")
    file = (CHECKOUT / "DinhSharpness" / "ArbitrarilySharp.lean").as_uri()
    assert js(driver, "return document.querySelector('svg a.target').href.baseVal")
    node.click()
    assert driver.current_url == file
    show(driver, pages["full"])
    node = driver.find_element(By.CSS_SELECTOR, "svg a.target")
    assert node.get_attribute("aria-label") == "ArbitrarilySharpEquivalentMinima, theorem"


def test_list_opens_by_a_click_on_what_has_no_source(
    driver: webdriver.Chrome, pages: dict[str, Path]
) -> None:
    show(driver, pages["tangled"])
    js(driver, "document.querySelector('.frame').scrollIntoView()")
    driver.find_element(By.CSS_SELECTOR, "svg a").click()
    assert driver.current_url.endswith("#d0")
    assert js(driver, "return document.getElementById('picture-details').open")


def test_landmarks_and_names_for_a_screen_reader(driver: webdriver.Chrome, opened: str) -> None:
    tree = cdp(driver, "Accessibility.getFullAXTree")["nodes"]
    nodes = [n for n in tree if not n.get("ignored")]
    roles = [n["role"]["value"] for n in nodes]
    for role in ("main", "navigation", "banner", "contentinfo"):
        assert roles.count(role) == 1, role
    for node in nodes:
        if node["role"]["value"] in ("link", "region", "navigation", "heading"):
            assert node["name"]["value"].strip(), node
    in_picture = js(driver, "return document.querySelectorAll('svg a').length")
    assert roles.count("link") >= in_picture > 0


def test_page_prints_with_everything_unfolded(driver: webdriver.Chrome, opened: str) -> None:
    cdp(driver, "Emulation.setEmulatedMedia", media="print", features=[])
    # What is folded is laid out when the next frame is drawn.
    hidden = driver.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done("
        "[...document.querySelectorAll('details .inside, .nodes')].filter(e => !e.offsetHeight)"
        ".length)))"
    )
    noted = js(driver, "return !CSS.supports('selector(::details-content)')")
    assert hidden == 0 or noted
    answer = cdp(driver, "Page.printToPDF", printBackground=True, preferCSSPageSize=True)
    assert base64.b64decode(answer["data"]).startswith(b"%PDF-")
