"""Loss of the transformer example over its steps, with every_shape's layers and with torch's own."""

import cli
import style
from cli import ROOT

RECORD = ROOT / "plots/results/pytorch_transformer_h200.json"


def draw():
    file = cli.read_json(RECORD)
    with cli.reading(RECORD):
        ours, torch = file["losses"]["every_shape"], file["losses"]["torch"]
        apart = [abs(a / b - 1) for a, b in zip(ours, torch, strict=True)]
        words = f"{file['device']}, PyTorch {file['torch']}, bf16; relative difference: {max(apart):.1e} at most"
    fig = style.phone_figure(4.2, "Loss of a small transformer in training", words)[0]
    steps = range(1, len(ours) + 1)
    above = fig.add_axes((0.15, 0.44, 0.81, 0.4))
    above.plot(steps, torch, color=style.MUTED, linewidth=3, label="torch.nn.Linear")
    above.plot(steps, ours, color=style.INDIGO, linewidth=1.2, label="every_shape.Linear")
    above.set_ylabel("loss")
    above.legend()
    below = fig.add_axes((0.15, 0.12, 0.81, 0.24))
    below.semilogy(steps, apart, color=style.INDIGO, linewidth=1)
    below.yaxis.set_major_formatter("{x:.0e}")
    below.set_ylabel("difference")
    below.set_xlabel("step")
    return fig
