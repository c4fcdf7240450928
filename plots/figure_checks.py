"""What tests ask of figures that are drawn by hand."""

from __future__ import annotations


def texts_outside(fig) -> list[str]:
    """The texts of a figure that stick out of it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # where there is a matplotlib

    renderer = FigureCanvasAgg(fig).get_renderer()
    for axes in fig.axes:  # what drawing would settle, and nothing else
        axes.get_xlim(), axes.get_ylim()
        axes.apply_aspect()
    width, height = fig.get_size_inches() * fig.dpi
    texts = list(fig.texts) + [text for axes in fig.axes for text in axes.texts]

    def inside(box) -> bool:
        return min(box.x0, box.y0) >= 0 and box.x1 <= width and box.y1 <= height

    return [text.get_text() for text in texts if not inside(text.get_window_extent(renderer))]
