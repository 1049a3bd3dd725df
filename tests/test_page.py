"""The page of `python -m minigrad --html FILE`: its numbers, and how it behaves in a real browser, if one is there."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import screenshot
from browser import PROGRAM, Page, browser

import minigrad as torch
from minigrad import __main__ as job, explain
from minigrad.explain.picture import WORDS, Pair, numeral, pair

IDS = [2, 0, 2, 4]
VOCAB, DIM = 5, 3
ARGUMENTS = [*map(str, IDS), "--vocab", str(VOCAB), "--dim", str(DIM)]
# As many as a page has room for, all different, and then the first once more.
MANY = [3, 0, 15, 7, 1, 12, 2, 9, 4, 10, 5, 14]


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


# ---- what is in it ---------------------------------------------------------------------------------------------------


def test_it_needs_nothing_from_elsewhere(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert re.findall(r"""(?:src|href|action)\s*=\s*["']?([^"'>]*)""", text) == ["data:,"]
    assert "@import" not in text
    assert "url(" not in text
    assert "http://" not in text
    assert "https://" not in text
    assert "default-src 'none'" in text
    assert not re.search(r"\$[a-z_]+", text)


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


def test_an_id_that_was_added_is_told(file: Path, large_file: Path) -> None:
    assert "is added at the end" not in file.read_text(encoding="utf-8")
    text = large_file.read_text(encoding="utf-8")
    assert "To see an id come twice, 3 is added at the end." in text
    assert f'value="{" ".join(map(str, [*MANY, 3]))}"' in text
    assert "in the docstring" not in text
    # The command is the one that was given.
    assert f"python -m minigrad {' '.join(map(str, MANY))} --vocab" in text


def test_an_id_that_was_added_is_told_no_longer_of_others(tab: Page, large_file: Path) -> None:
    page = ready(tab, large_file)
    assert page.run("find('#note').hidden")
    page.run("field.value = field.defaultValue; field.dispatchEvent(new Event('input'))")
    assert not page.run("find('#note').hidden")


# ---- how it behaves --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if PROGRAM is None:
        pytest.skip("needs Chromium")
    with browser(tmp_path_factory.mktemp("browser")) as page:
        yield page


def ready(tab: Page, path: Path) -> Page:
    """The page as it looks at first."""
    tab.look()
    if tab.run("location.href") != path.as_uri():
        tab.open(path)
    type_in(tab, " ".join(map(str, IDS)))
    start_again(tab)
    return tab


@pytest.fixture
def page(tab: Page, file: Path) -> Page:
    return ready(tab, file)


def numbers_of(ids: list[int]) -> Pair:
    """What minigrad computes for the page of `file`."""
    return pair(ids, lookup(ids, VOCAB, DIM)[0])


def type_in(page: Page, text: str) -> None:
    page.run(f"field.value = {text!r}; field.dispatchEvent(new Event('input'))")


@pytest.mark.parametrize("ids", [IDS, [0], [4, 4, 4], [1, 3, 0, 2, 4, 1, 3, 1]])
def test_the_script_computes_what_minigrad_does(page: Page, ids: list[int]) -> None:
    numbers = numbers_of(ids)
    computed = page.run(f"compute({ids})")
    assert len(computed) == 7
    for name, array in computed.items():
        np.testing.assert_array_equal(np.array(array, "f4"), getattr(numbers, name), err_msg=name)


SHOWN = """
[...document.querySelectorAll(".matrix")].map((matrix) => [
  matrix.querySelector("b").textContent,
  [...matrix.rows].map((row) => [...row.cells].slice(1).map((cell) => cell.textContent)),
])
"""


@pytest.mark.parametrize("text", ["2 0 2 4", "sat the sat mat", " Sat, the,2  MAT ", "1", "3 3 3 0 3"])
def test_what_is_typed_is_what_is_shown(page: Page, text: str) -> None:
    type_in(page, text)
    ids = [WORDS.index(each) if each in WORDS else int(each) for each in text.lower().replace(",", " ").split()]
    n = numbers_of(ids)
    products = [n.one_hot, n.table, n.product, n.upstream, n.gradient, n.one_hot.T, n.upstream, n.product_gradient]
    names = ["W", "Y", "X", "W", "Y", "G", "dW", "X.T", "G", "dW"]
    arrays = zip(names, [n.table, n.rows, *products], strict=True)
    assert page.run(SHOWN) == [[name, [[numeral(x) for x in row] for row in array]] for name, array in arrays]
    assert page.run(CURVES) == [
        [[[v, k, k] for k, v in enumerate(ids)], []],
        [[[k, v, v] for k, v in enumerate(ids)], [v for v in dict.fromkeys(ids) if ids.count(v) > 1]],
    ]
    equal = "Compared, number by number: both ways give exactly the same."
    assert page.run("[...document.querySelectorAll('.equal')].map(e => e.textContent)") == [equal, equal]


# Of each picture the rows that its curves and their heads lead from and to, and the rows with a plus.
CURVES = """
[...document.querySelectorAll("svg.curves")].map((picture) => {
  const row = (y) => (Number(y) - 15) / 30, numbers = (path) => path.getAttribute("d").match(/-?[\\d.]+/g);
  return [
    [...picture.querySelectorAll("[data-n]")].map(({ children: [line, head] }) =>
      [row(numbers(line)[1]), row(numbers(line)[7]), row(numbers(head)[1]) + 1 / 6]),
    [...picture.querySelectorAll("circle")].map((circle) => row(circle.getAttribute("cy"))),
  ];
})
"""


@pytest.mark.parametrize("text", ["", "5", "-1", "1.5", "dog", "2 x", " ".join(["1"] * 14)])
def test_what_is_no_id_is_told_and_changes_nothing(page: Page, text: str) -> None:
    type_in(page, "2 0")
    before = page.run(SHOWN)
    type_in(page, text)
    assert told(page) == "Expected 1 to 13 ids from 0 to 4, or their words."
    assert page.run("[field.getAttribute('aria-invalid'), ids]") == ["true", [2, 0]]
    assert page.run(SHOWN) == before
    type_in(page, "0")
    assert page.run("field.getAttribute('aria-invalid')") == "false"


def test_a_sum_is_spelled_out(page: Page) -> None:
    total = "row 2 of dW is the sum of rows 0 and 2 of G: [1, 2, 3] + [7, 8, 9] = [8, 10, 12]."
    sentences = page.run("sentences")
    assert sentences["n0"].startswith("Position 0 has id 2, “sat”. Forward: row 2 of W is copied to row 0 of Y; ")
    assert sentences["n0"].endswith(f" Backward: {total}")
    assert sentences["n1"].endswith(" Backward: row 0 of dW is row 1 of G.")
    assert sentences["v2"] == f"Row 2 of W is copied to rows 0 and 2 of Y, so {total}"
    assert sentences["v1"] == "Row 1: no position has id 1, so it is not read, and its gradient is zero."


def test_the_zeros_of_the_product_vanish(page: Page) -> None:
    seen = """
        [...document.querySelectorAll(".one-hot td")]
            .map(e => [e.textContent, getComputedStyle(e).color.endsWith(", 0)")])
    """
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    assert not any(vanished for _, vanished in page.run(seen))
    page.point_at(token(0))
    assert all(vanished == (text == "0") for text, vanished in page.run(seen))
    page.call("Emulation.setEmulatedMedia", features=[])


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
        assert told(page).startswith(f"Position {n} has id {IDS[n]}, ")
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
        assert told(page).startswith(
            f"Position {n} has id {IDS[n]}, “{WORDS[IDS[n]]}”. {'Backward' if back else 'Forward'}: "
        )
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
    page.press("Tab", 9)
    assert page.run("document.activeElement === field")
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
    assert buttons == [*[f"{WORDS[id_]} id {id_}" for id_ in IDS], "step by step"]
    headings = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "heading"]
    assert headings[1:3] == ["Type ids, or words that have one", "Choose a token and see where it goes"]
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


@pytest.mark.skipif(PROGRAM is None, reason="needs Chromium")
def test_its_picture_in_the_readme_is_taken_by_a_command(tmp_path: Path) -> None:
    screenshot.take(tmp_path / "live.png")
    # Fonts differ between machines, and with them heights: what begins a file with its width is the same.
    assert (tmp_path / "live.png").read_bytes()[:20] == screenshot.PICTURE.read_bytes()[:20]
