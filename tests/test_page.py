"""The page of `python -m minigrad --html FILE`: its numbers, and how it behaves in a real browser, if one is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import PROGRAM, Page, browser

from minigrad import __main__ as job
from minigrad.dtypes import Array

IDS = [2, 0, 2, 4]
VOCAB, DIM = 5, 3
ARGUMENTS = [*map(str, IDS), "--vocab", str(VOCAB), "--dim", str(DIM)]


class Tables(HTMLParser):
    """The numbers of the matrices, by their captions, in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[tuple[str, list[list[float]]]] = []
        self.inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag if tag in ("caption", "td", "b") else None
        if tag == "caption":
            self.tables.append(("", []))
        elif tag == "tr" and self.tables:
            self.tables[-1][1].append([])

    def handle_data(self, data: str) -> None:
        if self.inside == "b" and self.tables and not self.tables[-1][0]:
            self.tables[-1] = (data, [])
        elif self.inside == "td" and self.tables and re.fullmatch(r"-?\d+(\.\d+)?", data):
            self.tables[-1][1][-1].append(float(data))

    def handle_endtag(self, tag: str) -> None:
        self.inside = None


@pytest.fixture(autouse=True)
def _generator(seeded: None) -> None:
    """The program seeds the generator: it goes on afterwards where it was."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "a page.html"
    assert job.main([*ARGUMENTS, "--html", str(path)]) == 0
    return path


def matrices(text: str) -> list[tuple[str, Array]]:
    """The ten matrices of the page."""
    found = Tables(text.split("What the engine did")[0]).tables
    return [(name, np.array([row for row in rows if row])) for name, rows in found]


# ---- what is in it ---------------------------------------------------------------------------------------------------


def test_both_halves_have_the_numbers_that_loops_give(file: Path) -> None:
    found = matrices(file.read_text(encoding="utf-8"))
    assert [name for name, _ in found] == ["W", "Y", "X", "W", "Y", "G", "dW", "X.T", "G", "dW"]
    w, y, x, w_again, xw, g, dw, xt, g_again, xtg = [array for _, array in found]
    upstream = np.arange(1.0, len(IDS) * DIM + 1).reshape(len(IDS), DIM)
    one_hot = np.array([[float(v == id_) for v in range(VOCAB)] for id_ in IDS])
    gradient = np.zeros((VOCAB, DIM))
    for n, id_ in enumerate(IDS):
        gradient[id_] += upstream[n]
    assert w.shape == (VOCAB, DIM)
    assert abs(w).sum() > 0
    for got, expected in [
        (y, w[IDS]), (xw, w[IDS]), (w_again, w), (x, one_hot), (xt, one_hot.T),
        (g, upstream), (g_again, upstream), (dw, gradient), (xtg, gradient),
    ]:  # fmt: skip
        np.testing.assert_array_equal(got, expected)


def test_it_says_equal_only_if_it_is(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    equal = "both ways give exactly the same"
    assert file.read_text(encoding="utf-8").count(equal) == 2
    monkeypatch.setattr("minigrad.ops.embedding.add_rows", lambda rows, ids, n: np.ones((n, rows.shape[1]), "f4"))
    assert job.main([*ARGUMENTS, "--html", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count(equal) == 1
    assert "the largest difference is 11." in text


def test_it_needs_nothing_from_elsewhere(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert re.findall(r"""(?:src|href|action)\s*=\s*["']?([^"'>]*)""", text) == ["data:,"]
    assert "@import" not in text
    assert "url(" not in text
    assert "http://" not in text
    assert "https://" not in text
    assert "default-src 'none'" in text
    assert "$" not in text


def test_ids_of_one_position_are_told_with_those_they_share_a_row_with(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert "row 0 of G is added to row 2 of dW, where row 2 of G went, too." in text
    assert "row 1 of G is added to row 0 of dW." in text
    assert "Row 2 of W is copied to rows 0 and 2 of Y, so row 2 of dW is the sum of rows 0 and 2 of G." in text
    assert "Row 1: no position has id 1, so it is not read, and its gradient is zero." in text


def test_a_name_of_a_file_is_not_taken_for_html(tmp_path: Path) -> None:
    path = tmp_path / "<b>&.html"
    assert job.main(["1", "1", "--html", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert "/&lt;b&gt;&amp;.html" in text
    assert "<b>&" not in text


def test_the_same_arguments_write_the_same_page(file: Path, tmp_path: Path) -> None:
    again = tmp_path / file.name
    assert job.main([*ARGUMENTS, "--html", str(again)]) == 0
    pages = [path.read_text(encoding="utf-8").partition("<footer>")[0] for path in (file, again)]
    assert pages[0] == pages[1]


# ---- how it behaves --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if PROGRAM is None:
        pytest.skip("Chromium is not installed")
    with browser(tmp_path_factory.mktemp("browser")) as page:
        page.look()
        page.open(file)
        yield page


LIT = """
[...document.querySelectorAll(".matrix")].map((matrix) => [
  matrix.querySelector("b").textContent,
  [...matrix.rows].flatMap((row, r) => [...row.cells].slice(1).flatMap((cell, c) => {
    const lit = matrix.classList.contains("one-hot") ? cell.matches(".one.lit") : row.matches(".lit");
    return lit ? [matrix.classList.contains("one-hot") ? [r, c] : r] : [];
  })).filter((place, k, all) => k === 0 || String(place) !== String(all[k - 1])),
])
"""


def expected(positions: list[int]) -> list[Any]:
    """Which rows, or entries of one-hot matrices, are to be lit for these positions."""
    rows = sorted({IDS[n] for n in positions})
    entries = [[n, IDS[n]] for n in positions]
    transposed = sorted([v, n] for n, v in entries)
    forward = [["W", rows], ["Y", positions], ["X", entries], ["W", rows], ["Y", positions]]
    return [*forward, ["G", positions], ["dW", rows], ["X.T", transposed], ["G", positions], ["dW", rows]]


def token(n: int) -> str:
    return f".token:nth-child({n + 1})"


def told(page: Page) -> str:
    return str(page.run("document.getElementById('told').textContent"))


def start_again(page: Page) -> None:
    page.point_at("h1")
    page.press("Escape", 27)
    page.run("document.activeElement.blur()")


def test_pointing_at_a_token_lights_up_all_that_belongs_to_it(page: Page) -> None:
    start_again(page)
    assert page.run(LIT) == expected([])
    for n in range(len(IDS)):
        page.point_at(token(n))
        assert page.run(LIT) == expected([n])
        assert told(page).startswith(f"Position {n} has id {IDS[n]}. ")
        curves = "document.querySelectorAll('.curves .lit').length"
        assert page.run(curves) == 2
    start_again(page)
    assert page.run(LIT) == expected([])
    assert told(page).startswith("Point at a token or a row")


@pytest.mark.parametrize("matrix", [0, 3, 6, 7, 9])
def test_pointing_at_a_row_of_the_table_lights_up_all_its_positions(page: Page, matrix: int) -> None:
    start_again(page)
    for v in range(VOCAB):
        page.run(f"document.querySelectorAll('.matrix')[{matrix}].rows[{v}].cells[0].id = 'target'")
        page.point_at("#target")
        page.run("document.getElementById('target').removeAttribute('id')")
        assert page.run(LIT) == expected([n for n, id_ in enumerate(IDS) if id_ == v])
        assert told(page).startswith(f"Row {v}")


def test_the_keyboard_does_what_the_mouse_does(page: Page) -> None:
    start_again(page)
    page.run("window.scrollTo(0, 0)")
    for n in range(len(IDS)):
        page.press("Tab", 9)
        assert page.run("document.activeElement.dataset.n") == str(n)
        assert page.run(LIT) == expected([n])
    page.press("Enter", 13, "\r")
    assert page.run("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.press("Tab", 9)
    # The choice is held, wherever the focus goes.
    assert page.run(LIT) == expected([len(IDS) - 1])
    page.press("Escape", 27)
    assert page.run(LIT) == expected([])


def test_a_click_holds_a_choice_and_another_lets_it_go(page: Page) -> None:
    start_again(page)
    page.point_at(token(1))
    page.click(token(1))
    page.point_at("h1")
    assert page.run(LIT) == expected([1])
    assert page.run("[...document.querySelectorAll('[aria-pressed=true]')].map(each => each.dataset.n)") == ["1"]
    page.point_at(token(2))
    assert page.run(LIT) == expected([2])
    page.click(token(1))
    page.point_at("h1")
    page.run("document.activeElement.blur()")
    assert page.run(LIT) == expected([])


CONTRAST = """
(() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const pixel = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => pixel(colour).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, k) => sum + part * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return pixel(colour)[3] === 255 ? colour : behind(element.parentElement);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let least = [99, ""], count = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || element.matches("script")) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    count += 1;
    if (contrast < least[0]) least = [contrast, element.outerHTML.slice(0, 80)];
  }
  return [...least, count];
})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(page: Page, scheme: str) -> None:
    page.look(scheme=scheme)
    for chosen in ("h1", *map(token, range(len(IDS)))):
        start_again(page)
        page.point_at(chosen)
        least, where, count = page.run(CONTRAST)
        assert count > 150
        # WCAG 2.2, level AA.
        assert least >= 4.5, where
    page.look()
    start_again(page)


def test_it_can_be_read_on_a_phone(page: Page) -> None:
    page.look(360, 740, phone=True)
    start_again(page)
    for chosen in ("h1", token(0)):
        page.point_at(chosen)
        assert page.run("document.documentElement.scrollWidth") == 360
        # The four pictures fit as well: only the table of the engine's steps is to be pushed.
        sizes = page.run("[...document.querySelectorAll('.half .scroll')].map(e => e.scrollWidth - e.clientWidth)")
        assert sizes == [0, 0, 0, 0]
    # WCAG 2.2, target size (enhanced).
    boxes = page.run("[...document.querySelectorAll('.token')].map(e => e.getBoundingClientRect().toJSON())")
    assert min(min(box["width"], box["height"]) for box in boxes) >= 44
    smallest = "Math.min(...[...document.querySelectorAll('td')].map(e => parseFloat(getComputedStyle(e).fontSize)))"
    assert page.run(smallest) >= 12
    page.look()


def test_those_who_do_not_see_it_are_told(page: Page) -> None:
    labels = "[...document.querySelectorAll('svg, [role=region], [role=img]')].map(e => e.getAttribute('aria-label'))"
    assert all(page.run(labels))
    assert page.run("document.getElementById('told').getAttribute('role')") == "status"
    assert page.run("document.documentElement.lang") == "en"
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    buttons = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "button"]
    assert buttons == [f"id {id_} position {n}" for n, id_ in enumerate(IDS)]
    headings = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "heading"]
    assert headings[1:3] == ["Choose a token and see where it goes", "Forward: rows are copied"]
    tables = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "table"]
    assert [name for name in tables if name] == [
        "W the table", "Y output", "X one-hot", "W the table", "Y output",
        "G upstream", "dW gradient of W", "X.T transposed", "G upstream", "dW gradient of W",
    ]  # fmt: skip


def test_the_browser_has_nothing_to_complain_of(page: Page, file: Path) -> None:
    page.open(file)
    page.point_at(token(0))
    page.run("1")
    assert not page.problems
    assert {url for url in page.requested if not url.startswith("data:")} == {file.as_uri()}
