"""The page of `python -m minigrad --html FILE`: its numbers, and how it behaves in a real browser, if one is there."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
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
from minigrad.explain.page import page as made
from minigrad.explain.pair import numeral

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
    assert "stands in column 2. Backward: row 2 of dW is the sum of rows 0 and 2 of G." in text
    assert "stands in column 0. Backward: row 0 of dW is row 1 of G." in text
    assert "Row 2 of W is copied to rows 0 and 2 of Y, so row 2 of dW is the sum of rows 0 and 2 of G." in text
    assert "Row 1: no position has id 1, so it is not read, and its gradient is zero." in text


def lookup(ids: list[int], vocab: int, dim: int) -> tuple[torch.nn.Embedding, Any]:
    """The table and the loss of the page."""
    torch.manual_seed(123)
    embedding = torch.nn.Embedding(vocab, dim)
    upstream = torch.arange(1.0, len(ids) * dim + 1).reshape(len(ids), dim)
    return embedding, (embedding(torch.tensor(ids)) * upstream).sum()


def test_it_tells_the_story_of_the_engine_with_every_number(large_file: Path) -> None:
    embedding, loss = lookup([*MANY, MANY[0]], 16, 8)
    story = explain.backward(loss, names={"embedding": embedding, "loss": loss}, max_values=10**6)
    html = story._repr_html_()
    assert "EmbeddingBackward0" in html
    assert html in large_file.read_text(encoding="utf-8")


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


def test_a_zero_has_no_sign() -> None:
    assert [numeral(x) for x in (-0.001, -0.0, 0.0, -0.006, -1.0)] == ["-0.001", "0", "0", "-0.01", "-1"]
    embedding = torch.nn.Embedding.from_pretrained(torch.tensor([[-0.001, -1.5]]), freeze=False)
    text = made([0], embedding, "", "").partition("What the engine did")[0]
    assert "<td>-0.001</td><td>-1.50</td>" in text
    assert "-0<" not in text


def test_a_name_of_a_file_is_not_taken_for_html(tmp_path: Path) -> None:
    path = tmp_path / "<b>&.html"
    job.main(["1", "1", "--html", str(path)])
    text = path.read_text(encoding="utf-8")
    assert "/&lt;b&gt;&amp;.html" in text
    assert "<b>&" not in text


def test_the_same_arguments_write_the_same_page(file: Path, tmp_path: Path) -> None:
    again = tmp_path / file.name
    job.main([*ARGUMENTS, "--html", str(again)])
    pages = [path.read_text(encoding="utf-8").partition("<footer>")[0] for path in (file, again)]
    assert pages[0] == pages[1]


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


@pytest.fixture
def large(tab: Page, large_file: Path) -> Page:
    return ready(tab, large_file)


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


def style(page: Page, selector: str, *names: str) -> list[str]:
    found = f"getComputedStyle(document.querySelector({json.dumps(selector)}))"
    return [str(page.run(f"{found}.{name}")) for name in names]


def test_what_is_lit_can_be_told_from_what_is_not(page: Page) -> None:
    row, entry = ".matrix tr[data-say=v2]", '.one-hot .one[data-n="0"]'
    curve, other = '.curves [data-n="0"]', '.curves [data-n="1"]'
    watched = [
        (f"{row} td", "backgroundColor"), (row, "outlineStyle"), (entry, "backgroundColor"), (entry, "outlineStyle"),
        (token(0), "backgroundColor"), (token(0), "borderColor"), (f"{curve} path", "strokeWidth"), (other, "opacity"),
    ]  # fmt: skip
    start_again(page)
    before = [style(page, *each) for each in watched]
    page.point_at(token(0))
    after = [style(page, *each) for each in watched]
    assert not [each for each, old, new in zip(watched, before, after, strict=True) if old == new]
    assert style(page, row, "outlineStyle", "outlineWidth") == ["solid", "2px"]
    assert style(page, entry, "outlineStyle", "outlineWidth") == ["solid", "2px"]
    # And what does not belong to the token stays as it was.
    page.point_at(token(1))
    assert [style(page, *each) for each in watched[:6]] == before[:6]


def test_the_focus_is_seen(page: Page) -> None:
    before = style(page, token(0), "outlineStyle")
    page.press("Tab", 9)
    assert before == ["none"]
    assert style(page, token(0), "outlineStyle", "outlineWidth") == ["solid", "3px"]
    assert style(page, token(0), "outlineColor") == style(page, "body", "color")


def test_the_tokens_stay_in_view(page: Page) -> None:
    page.run("window.scrollTo(0, document.body.scrollHeight)")
    assert page.run("window.scrollY") > 300
    assert 0 <= page.run("document.querySelector('.token').getBoundingClientRect().top") < 100
    assert style(page, ".choice", "backgroundColor") == style(page, "body", "backgroundColor")


def test_a_touch_holds_a_choice_and_another_lets_it_go(page: Page) -> None:
    page.look(360, 740, phone=True)
    assert "tap it" in told(page)
    row = ".row .matrix tr[data-say=v2]"
    for chosen, lit in [
        (row, [0, 2]),
        (token(1), [1]),
        (".row .matrix tr[data-say=n3]", [3]),
        (".one-hot tr[data-say=v2]", [0, 2]),
    ]:
        page.touch(chosen)
        page.lift()
        assert page.run(LIT) == expected(lit), chosen
    pressed = "[...document.querySelectorAll('[aria-pressed=true]')].map(each => each.dataset.n)"
    assert page.run(pressed) == []
    # The same row in another table is the same choice.
    page.touch(row)
    page.lift()
    assert page.run(LIT) == expected([])
    page.touch(token(1))
    page.lift()
    assert page.run(pressed) == ["1"]


def test_a_finger_that_scrolls_chooses_nothing(page: Page) -> None:
    page.look(360, 740, phone=True)
    page.touch(".row .matrix tr[data-say=v2]")
    assert page.run(LIT) == expected([])
    page.call("Input.dispatchTouchEvent", type="touchCancel", touchPoints=[])
    assert page.run(LIT) == expected([])


def test_a_row_is_held_by_a_click_as_a_token_is(page: Page) -> None:
    page.click(".matrix tr[data-say=v2]")
    page.point_at("h1")
    assert page.run(LIT) == expected([0, 2])
    assert told(page).startswith("Row 2 of W is copied to rows 0 and 2 of Y")
    # A row that has a token of its own is the same choice as that.
    page.click(".matrix tr[data-say=n3]")
    assert page.run("[...document.querySelectorAll('[aria-pressed=true]')].map(each => each.dataset.n)") == ["3"]
    page.click(token(3))
    assert page.run("document.querySelectorAll('[aria-pressed=true]').length") == 0
    page.click(token(3))
    page.press("Escape", 27)
    assert page.run(LIT) == expected([])


ALIGNED = """
[...document.querySelectorAll(".row")].flatMap((row) => {
  const [from, to] = row.querySelectorAll(".matrix");
  const picture = row.querySelector("svg");
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return (box.top + box.bottom) / 2;
  };
  return [...picture.querySelectorAll("g[data-n]")].map((curve) => {
    const line = curve.querySelector("path"), zero = picture.getBoundingClientRect().top;
    const y = (length) => zero + line.getPointAtLength(length).y * line.getScreenCTM().d;
    const n = curve.dataset.n;
    const row = (matrix) => [...matrix.rows].find((each) => each.dataset.n.split(" ").includes(n));
    return Math.max(Math.abs(y(0) - middle(row(from))), Math.abs(y(line.getTotalLength()) - middle(row(to))));
  });
})
"""


@pytest.mark.parametrize("phone", [False, True])
def test_curves_end_beside_their_rows(large: Page, phone: bool) -> None:
    large.look(*((360, 740) if phone else (1100, 900)), phone=phone)
    off = large.run(ALIGNED)
    assert len(off) == 26
    assert max(off) < 3


def test_each_id_has_a_look_of_its_own(large: Page) -> None:
    looks = Counter()
    for scheme in ("light", "dark"):
        large.look(scheme=scheme)
        found = {}
        for n, id_ in enumerate([*MANY, MANY[0]]):
            look = tuple(style(large, f'.curves [data-n="{n}"] path', "stroke", "strokeDasharray"))
            assert found.setdefault(id_, look) == look
        assert len(set(found.values())) == len(MANY)
        colours = {colour for colour, _ in found.values()}
        assert len(colours) == 6
        # And none is a grey.
        for colour in colours:
            parts = [int(part) for part in re.findall(r"\d+", colour)]
            assert max(parts) - min(parts) > 80
        looks.update(colours)
    # The dark has colours of its own.
    assert set(looks.values()) == {1}


def test_a_large_page_is_laid_out_in_order(large: Page) -> None:
    # Each product stands on one line ...
    centres = """[...document.querySelectorAll('.wrap')].map((each) => [...each.children].map((part) => {
      const box = part.getBoundingClientRect();
      return Math.round(box.top + box.bottom);
    }))"""
    for product in large.run(centres):
        assert len(product) == 3
        assert max(product) - min(product) <= 2
    fits = "[...document.querySelectorAll('.half .scroll')].every((each) => each.scrollWidth <= each.clientWidth)"
    assert large.run(fits)
    # ... and on a phone, where it is pushed, the name of each matrix at the left of it.
    large.look(360, 740, phone=True)
    starts = """[...document.querySelectorAll('.matrix')].map((each) =>
      each.querySelector('caption b').getBoundingClientRect().left - each.getBoundingClientRect().left)"""
    assert max(large.run(starts)) < 5
    assert large.run("document.documentElement.scrollWidth") == 360


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


MEASURES = """
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const pixels = new Map();
  const pixel = (colour) => {
    if (!pixels.has(colour)) pixels.set(colour, painted(colour));
    return pixels.get(colour);
  };
  const painted = (colour) => {
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
  const contrast = (one, other) => {
    const [a, b] = [light(one), light(other)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
"""

CONTRAST = f"""
(() => {{
  {MEASURES}
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let least = [99, ""], count = 0;
  while (walker.nextNode()) {{
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || element.matches("script")) continue;
    const found = contrast(getComputedStyle(element).color, behind(element));
    count += 1;
    if (found < least[0]) least = [found, element.outerHTML.slice(0, 80)];
  }}
  return [...least, count];
}})()
"""

GRAPHICS = f"""
(() => {{
  {MEASURES}
  const ground = (element) => behind(element.closest("svg")?.parentElement ?? element.parentElement);
  const drawn = (selector, property) => [...document.querySelectorAll(selector)].map(
    (element) => contrast(getComputedStyle(element)[property], ground(element)));
  return [drawn(".curves g[data-n] path:first-child", "stroke"), drawn(".curves .head", "fill"),
    drawn(".plus path", "stroke"), drawn(".token", "borderTopColor"), drawn(".graph li", "borderTopColor")];
}})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_colours_stand_out_from_what_is_behind_them(large: Page, scheme: str) -> None:
    large.look(scheme=scheme)
    paper = large.run(f"(() => {{ {MEASURES} return light(behind(document.body)); }})()")
    assert paper < 0.05 if scheme == "dark" else paper > 0.9
    graphics = large.run(GRAPHICS)
    assert [len(each) for each in graphics] == [26, 26, 1, 13, 4]
    # WCAG 2.2, level AA, of graphics and of text.
    assert min(map(min, graphics)) >= 3
    for chosen in ("h1", *map(token, range(len(MANY)))):
        large.point_at(chosen)
        least, where, _ = large.run(CONTRAST)
        assert least >= 4.5, where


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
    assert buttons == [f"id {id_} position {n}" for n, id_ in enumerate(IDS)]
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
