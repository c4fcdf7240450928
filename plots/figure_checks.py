"""What tests ask of figures that are drawn by hand."""

from __future__ import annotations


def texts_outside(fig) -> list[str]:
    """The texts of a figure that stick out of it."""
    fig.draw_without_rendering()
    width, height = fig.get_size_inches() * fig.dpi
    texts = list(fig.texts) + [text for axes in fig.axes for text in axes.texts]

    def inside(box) -> bool:
        return min(box.x0, box.y0) >= 0 and box.x1 <= width and box.y1 <= height

    return [text.get_text() for text in texts if not inside(text.get_window_extent())]
