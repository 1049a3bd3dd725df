"""The colours and dashes of ids, for the picture and the page."""

from __future__ import annotations

from collections.abc import Iterable

#: Found by a search: on its ground each stands out as WCAG 2.2 asks of graphics (3 to 1), and any two differ for the
#: colour-blind, too.  The first six are for a light ground, the others for a dark one.
COLOURS = ("#1d4590", "#8f3a00", "#0f8274", "#e637ab", "#b08200", "#158cf0")
DARK = ("#2f74f5", "#ff5a1f", "#25ecb8", "#bf4aa6", "#f4c430", "#86b4f5")
#: The lengths of strokes and gaps in turn, in widths of the line: lines are told apart without colour, too.
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (5, 2),
    (1.5, 1.5),
    (7, 2, 1.5, 2),
    (3, 3),
    (7, 2, 1.5, 2, 1.5, 2),
)


def looks(ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """For each id the places of its colour and its dash; no two of up to 36 ids have both in common.

    >>> looks([7, 2, 7])
    {2: (0, 0), 7: (1, 1)}
    """
    return {id_: (k % len(COLOURS), (k + k // len(COLOURS)) % len(DASHES)) for k, id_ in enumerate(sorted(set(ids)))}
