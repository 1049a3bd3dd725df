"""The page of `python -m minigrad --html FILE`: its numbers, and how it behaves in a real browser, if one is there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import PROGRAM, Page, browser

import minigrad as torch
from minigrad import __main__ as job
from minigrad import explain
from minigrad.core.dtypes import Array

IDS = [2, 0, 2, 4]
VOCAB, DIM = 5, 3
ARGUMENTS = [*map(str, IDS), "--vocab", str(VOCAB), "--dim", str(DIM)]
# As many as a page has room for, all different, and then the first once more.
MANY = [3, 0, 15, 7, 1, 12, 2, 9, 4, 10, 5, 14]


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
    job.main([*ARGUMENTS, "--html", str(path)])
    return path


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "large.html"
    job.main([*map(str, MANY), "--vocab", "16", "--dim", "8", "--html", str(path)])
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
    monkeypatch.setattr("minigrad.core.embedding.add_rows", lambda rows, ids, n: np.ones((n, rows.shape[1]), "f4"))
    job.main([*ARGUMENTS, "--html", str(tmp_path / "page.html")])
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
    total = "row 2 of dW is the sum of rows 0 and 2 of G: [1, 2, 3] + [7, 8, 9] = [8, 10, 12]."
    assert f"stands in column 2. Backward: {total}" in text
    assert "stands in column 0. Backward: row 0 of dW is row 1 of G." in text
    assert f"Row 2 of W is copied to rows 0 and 2 of Y, so {total}" in text
    assert "Row 1: no position has id 1, so it is not read, and its gradient is zero." in text


def lookup(ids: list[int], vocab: int, dim: int) -> tuple[torch.nn.Embedding, Any]:
    """The table and the loss of the page."""
    torch.manual_seed(123)
    embedding = torch.nn.Embedding(vocab, dim)
    upstream = torch.arange(1.0, len(ids) * dim + 1).reshape(len(ids), dim)
    return embedding, (embedding(torch.tensor(ids)) * upstream).sum()


def test_its_graph_is_that_of_explain(file: Path) -> None:
    embedding, loss = lookup(IDS, VOCAB, DIM)
    graph = explain.graph(loss, names={"embedding": embedding, "loss": loss})
    text = file.read_text(encoding="utf-8").partition('<ol class="graph"')[2].partition("</ol>")[0]
    items = [tuple(re.findall(r"<(?:b|span)>(.*?)</", item)) for item in text.split("<li")[1:]]
    # From the table to the loss, each the only input of the next.
    order = [*reversed(graph.vertices)]
    assert items == [vertex.lines for vertex in order]
    assert sorted(graph.edges) == sorted([(a.id, b.id) for a, b in itertools.pairwise(order)])
    assert [' class="leaf"' in item for item in text.split("<li")[1:]] == [True, False, False, False]


def pictures(text: str) -> list[tuple[list[tuple[float, ...]], list[float]]]:
    """Of each picture between two tables the rows that its curves and their heads lead from and to, and its pluses."""
    found = []
    for picture in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        curves = re.findall(
            r'<path d="M[\d.]+ ([\d.]+)C[\d.]+ ([\d.]+) [\d.]+ ([\d.]+) [\d.]+ ([\d.]+)"/>'
            r'<path class="head" d="M[\d.]+ ([\d.]+)l10 5l-10 5z"/>',
            picture,
        )
        ends = [(float(a), float(b), float(c), float(d), float(head) + 5) for a, b, c, d, head in curves]
        pluses = re.findall(r'<circle cx="32" cy="([\d.]+)"', picture)
        found.append(([tuple([y / 30 - 0.5 for y in each]) for each in ends], [float(y) / 30 - 0.5 for y in pluses]))
    return found


def test_curves_lead_from_row_to_row_and_a_plus_stands_where_they_meet(file: Path) -> None:
    forward = [(id_, id_, n, n, n) for n, id_ in enumerate(IDS)]
    backward = [(n, n, id_, id_, id_) for n, id_ in enumerate(IDS)]
    assert pictures(file.read_text(encoding="utf-8")) == [(forward, []), (backward, [2])]


def test_an_id_that_was_added_is_told(file: Path, large_file: Path) -> None:
    assert "is added at the end" not in file.read_text(encoding="utf-8")
    text = large_file.read_text(encoding="utf-8")
    assert "To see an id come twice, 3 is added at the end." in text
    assert text.count('class="token ') == 13
    # The command is the one that was given.
    assert f"python -m minigrad {' '.join(map(str, MANY))} --vocab" in text


# ---- how it behaves --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if PROGRAM is None:
        pytest.skip("Chromium is not installed")
    with browser(tmp_path_factory.mktemp("browser")) as page:
        yield page


def ready(tab: Page, path: Path) -> Page:
    """The page as it looks at first."""
    tab.look()
    if tab.run("location.href") != path.as_uri():
        tab.open(path)
    start_again(tab)
    return tab


@pytest.fixture
def page(tab: Page, file: Path) -> Page:
    return ready(tab, file)


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
    # The margin of the page, whichever part of it is shown.
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    page.press("Escape", 27)
    # The next to have the focus is the first.
    page.run("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")


def test_pointing_at_a_token_lights_up_all_that_belongs_to_it(page: Page) -> None:
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


def test_steps_go_forward_and_then_backward(page: Page) -> None:
    forward = len(expected([])) // 2
    for step in range(2 * len(IDS) + 1):
        page.run("document.querySelector('.step').click()")
        n, back = step % len(IDS), step % (2 * len(IDS)) >= len(IDS)
        lit, nothing = expected([n]), expected([])
        assert page.run(LIT) == (nothing[:forward] + lit[forward:] if back else lit[:forward] + nothing[forward:])
        assert told(page).startswith(f"Position {n} has id {IDS[n]}. {'Backward' if back else 'Forward'}: ")
        assert told(page).count("ward: ") == 1
    page.run("document.querySelector('.matrix').rows[0].click()")


@pytest.mark.parametrize("matrix", [0, 3, 6, 7, 9])
def test_pointing_at_a_row_of_the_table_lights_up_all_its_positions(page: Page, matrix: int) -> None:
    for v in range(VOCAB):
        page.run(f"document.querySelectorAll('.matrix')[{matrix}].rows[{v}].cells[0].id = 'target'")
        page.point_at("#target")
        page.run("document.getElementById('target').removeAttribute('id')")
        assert page.run(LIT) == expected([n for n, id_ in enumerate(IDS) if id_ == v])
        assert told(page).startswith(f"Row {v}")


def test_the_keyboard_does_what_the_mouse_does(page: Page) -> None:
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


def test_it_can_be_read_on_a_phone(page: Page) -> None:
    page.look(360, 740, phone=True)
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


def test_those_who_do_not_see_it_are_told(page: Page) -> None:
    labels = "[...document.querySelectorAll('svg, [role=region], [role=img]')].map(e => e.getAttribute('aria-label'))"
    assert all(page.run(labels))
    assert page.run("document.getElementById('told').getAttribute('role')") == "status"
    assert page.run("document.documentElement.lang") == "en"
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    buttons = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "button"]
    assert buttons == [*[f"id {id_} position {n}" for n, id_ in enumerate(IDS)], "step by step"]
    headings = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "heading"]
    assert headings[1:3] == ["Choose a token and see where it goes", "Forward: rows are copied"]
    tables = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "table"]
    assert [name for name in tables if name] == [
        "W the table", "Y output", "X one-hot", "W the table", "Y output",
        "G upstream", "dW gradient of W", "X.T transposed", "G upstream", "dW gradient of W",
    ]  # fmt: skip


def test_the_browser_has_nothing_to_complain_of(page: Page, file: Path) -> None:
    page.requested.clear()
    page.open(file)
    page.point_at(token(0))
    page.run("1")
    assert not page.problems
    assert {url for url in page.requested if not url.startswith("data:")} == {file.as_uri()}
