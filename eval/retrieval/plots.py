"""Plots as SVG, by themselves: means with whiskers, and histograms."""

from collections.abc import Sequence
from html import escape

import numpy as np

from eval.retrieval.intervals import Interval

WIDTH, ROW, LEFT, RIGHT = 860, 26, 330, 110
HISTOGRAM_WIDTH, HISTOGRAM_HEIGHT, BINS = 430, 110, 20


def bars(rows: Sequence[tuple[str, Interval]]) -> str:
    """One row each: the name, the interval as a line, the mean as a dot, and the figures."""
    low = min([0.0, *(interval.low for _, interval in rows)])
    high = max([low + 1e-9, *(interval.high for _, interval in rows)])
    span = WIDTH - LEFT - RIGHT

    def x(value: float) -> float:
        return LEFT + span * (value - low) / (high - low)

    height = ROW * len(rows) + 10
    parts = [_svg(WIDTH, height), f'<path class="faint" d="M{x(0.0):.1f} 0V{height}"/>']
    for n, (name, interval) in enumerate(rows):
        y = ROW * n + ROW / 2
        parts.append(f'<text x="0" y="{y + 4:.1f}">{escape(name)}</text>')
        parts.append(f'<path class="whisker" d="M{x(interval.low):.1f} {y}H{x(interval.high):.1f}"/>')
        parts.append(f'<circle class="mark" cx="{x(interval.mean):.1f}" cy="{y}" r="5"/>')
        figures = f"{interval.mean:.3f} ({interval.low:.3f} to {interval.high:.3f})"
        parts.append(f'<title>{escape(name)}: {figures}</title><text x="{WIDTH - RIGHT + 12}" y="{y + 4:.1f}">')
        parts.append(f"{interval.mean:.3f}</text>")
    return "".join([*parts, "</svg>"])


def histogram(values: Sequence[float], *, low: float, high: float) -> str:
    """How many values lie where between the two bounds."""
    counts, _ = np.histogram(np.asarray(values, np.float64), bins=BINS, range=(low, max(high, low + 1e-9)))
    most = max(1, int(counts.max()))
    room, width = HISTOGRAM_HEIGHT - 24, HISTOGRAM_WIDTH / BINS
    parts = [_svg(HISTOGRAM_WIDTH, HISTOGRAM_HEIGHT)]
    for n, count in enumerate(counts):
        tall = room * int(count) / most
        parts.append(f'<rect class="mark" x="{n * width + 1:.1f}" y="{room - tall:.1f}" width="{width - 2:.1f}"')
        parts.append(f' height="{tall:.1f}"><title>{int(count)}</title></rect>')
    parts.append(f'<path class="faint" d="M0 {room}H{HISTOGRAM_WIDTH}"/><text x="0" y="{room + 18}">{low:g}</text>')
    parts.append(f'<text x="{HISTOGRAM_WIDTH}" y="{room + 18}" text-anchor="end">{high:.3g}</text></svg>')
    return "".join(parts)


def _svg(width: int, height: int) -> str:
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
