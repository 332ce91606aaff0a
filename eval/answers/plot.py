"""The curve of coverage and risk, as one self-contained SVG."""

from collections.abc import Mapping, Sequence
from html import escape

from eval.answers.curve import Point

WIDTH, HEIGHT, MARGIN = 560, 380, 48
_COLOURS = ("#1f5fae", "#c2571a", "#5b8c3e", "#8a5aa8", "#777777")


def refusals(curves: Mapping[str, Sequence[Point]]) -> str:
    """Answerable questions answered (across) against unanswerable ones refused (up), a line a score."""
    lines = {name: [(point.coverage, point.abstained) for point in found if found] for name, found in curves.items()}
    return _svg(lines, across="answerable questions answered", up="unanswerable questions refused")


def risks(curves: Mapping[str, Sequence[Point]]) -> str:
    """Answerable questions answered (across) against answers that should not have been given (up)."""
    lines = {name: [(point.coverage, point.risk) for point in found] for name, found in curves.items()}
    return _svg(lines, across="answerable questions answered", up="answers that should not be")


def _svg(lines: Mapping[str, Sequence[tuple[float, float]]], *, across: str, up: str) -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_grid(),
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>',
        f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(up)}</text>',
    ]
    for n, (name, found) in enumerate(lines.items()):
        colour = _COLOURS[n % len(_COLOURS)]
        path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in found)
        width = 2.5 if n == 0 else 1.5
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        top = HEIGHT - MARGIN - 90 + 16 * n
        parts.append(f'<text x="{MARGIN + 10}" y="{top}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"])


def _grid() -> list[str]:
    parts = []
    for n in range(6):
        share = n / 5
        x, y = _x(share), _y(share)
        parts.append(f'<line x1="{x}" y1="{_y(0)}" x2="{x}" y2="{_y(1)}" stroke="#dddddd"/>')
        parts.append(f'<line x1="{_x(0)}" y1="{y}" x2="{_x(1)}" y2="{y}" stroke="#dddddd"/>')
        parts.append(f'<text x="{x}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle" fill="#555">{share:.1f}</text>')
        parts.append(f'<text x="{MARGIN - 6}" y="{y + 4}" text-anchor="end" fill="#555">{share:.1f}</text>')
    return parts


def _x(share: float) -> float:
    return MARGIN + share * (WIDTH - 2 * MARGIN)


def _y(share: float) -> float:
    return HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN)
