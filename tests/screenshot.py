"""The README's picture of the page to point at, with a word chosen that occurs twice.

    python -m tests.screenshot

takes it in Chromium, and writes `docs/live.png`.
"""

import base64
import tempfile
from pathlib import Path

import minigrad as torch
from minigrad.explain.picture import page
from tests.browser import browser

PICTURE = Path(__file__).parent.parent / "docs" / "live.png"

#: From the field above to the gradients below.
CLIP = """
(() => {
  const bottom = [...document.querySelectorAll(".halves")].at(-1).getBoundingClientRect().bottom;
  const top = document.querySelector("#typing").getBoundingClientRect().top;
  return {x: 0, y: top + scrollY - 10, width: innerWidth, height: bottom - top + 20, scale: 1};
})()
"""


def take(file: Path, text: str = "the cat sat on the mat") -> None:
    """Write the picture of the page for a text, whose first row of the table is chosen."""
    torch.manual_seed(123)
    made = page(text, torch.nn.Embedding(6, 3), "", "python -m minigrad --html page.html")
    # Chromium may still write its profile when it has been told to end.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, browser(Path(folder)) as tab:
        shown = Path(folder, "page.html")
        shown.write_text(made, encoding="utf-8")
        tab.look(width=1240)
        # What moves is where it goes at once.
        media = {"prefers-color-scheme": "light", "prefers-reduced-motion": "reduce"}
        tab.call("Emulation.setEmulatedMedia", features=[{"name": k, "value": v} for k, v in media.items()])
        tab.open(shown)
        tab.click("#picking tr")
        taken = tab.call("Page.captureScreenshot", clip=tab.run(CLIP), captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    take(PICTURE)
