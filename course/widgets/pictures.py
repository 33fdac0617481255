"""A picture, what a model says it shows, and where each of its heads looked; with paper to draw on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import traitlets
from torch import Tensor, nn

from course.widgets.base import CourseWidget, Settings
from course.widgets.calls import Answer, ask, evaluating, name_of, tensor_of
from course.widgets.figures import Picture, heatmap, panels
from course.widgets.numbers import number
from course.widgets.tensors import packed

SUM_TOLERANCE = 1e-3
LARGEST = 32
ROLLED = "rolled out"
CLASS_TOKEN = "class token"
WANT = f"(count, 1, height, width) with sides of at most {LARGEST}"


class PictureReader(CourseWidget):
    """What your Vision Transformer says of a picture, and what its tokens read. The picture can be changed by hand.

    Args:
        model: your VisionTransformer; `model(images, return_weights=True)` gives logits and the weights of each layer,
            and `model.config.patch_size` is the side of a patch.
        images: (count, 1, height, width), the pictures to choose from, 0 for paper and 1 for ink.
        labels: what each of them shows.
        rollout: your `attention_rollout`; without it there is no such view.
        picture: the one to begin with.
        view: which weights are shown at first, as the control calls them; the mean of the last layer if not given.

    Raises:
        ValueError: pictures of another shape, another number of labels, or a picture or view that does not exist.
    """

    entry = "pictures.js"
    pixels = traitlets.List(traitlets.Float()).tag(sync=True)
    picture = traitlets.Int(0).tag(sync=True)
    view = traitlets.Int(0, min=0).tag(sync=True)
    asks = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(
        self,
        model: nn.Module,
        images: Tensor,
        labels: Sequence[int] | Tensor | None = None,
        *,
        rollout: Callable[[list[Tensor]], Tensor] | None = None,
        picture: int = 0,
        view: str | None = None,
    ) -> None:
        self.images = _pictures(images)
        count, self.height, self.width = self.images.shape
        self.patch = _patch_of(model, self.height, self.width)
        self.model, self.rollout = model, rollout
        self.titles = _titles(labels, count)
        if not 0 <= picture < count:
            raise ValueError(f"picture={picture}; give 0 to {count - 1}")
        super().__init__(pixels=self.images[picture].reshape(-1).tolist(), picture=picture)
        self._refresh()
        if self.views:
            named = view or next((one for one in reversed(self.views) if one.endswith("mean")), self.views[-1])
            if named not in self.views:
                raise ValueError(f"view={view!r}; give one of {', '.join(self.views)}")
            self.view = self.views.index(named)
        self.observe(self._refresh, ["pixels"])

    # ---- what the model says ----

    @property
    def recorded(self) -> Settings:
        """See `CourseWidget`."""
        return {"pixels": [one.reshape(-1).tolist() for one in self.images]}

    def _refresh(self, _: Any = None) -> None:
        """Read the picture anew."""
        image = torch.tensor(self.pixels[: self.height * self.width], dtype=torch.get_default_dtype())
        self.trouble = ""
        self.views: list[str] = []
        self.maps, self.shares = np.zeros((0, 1 + self.down * self.across, 1 + self.down * self.across)), np.zeros(0)
        if len(image) < self.height * self.width:
            self.trouble = f"pixels has {len(image)} numbers; give {self.height * self.width}."
        else:
            self._read(image.reshape(1, 1, self.height, self.width))
        self.data = self._data()

    def _read(self, image: Tensor) -> None:
        name = name_of(type(self.model), "your model")
        with evaluating(self.model):
            answer = ask(lambda x: self.model(x, return_weights=True), image, name=name)
        found = answer if answer.trouble else _both(answer.value, 1 + self.down * self.across, name)
        self.trouble = found.trouble
        if found.trouble:
            return
        logits, weights = found.value
        shifted = np.exp(logits - logits.max())
        self.shares = shifted / shifted.sum()
        self.views, maps = _views(weights)
        self.maps = np.stack(maps)
        self._roll([torch.from_numpy(one)[None] for one in weights])

    def _roll(self, weights: list[Tensor]) -> None:
        if self.rollout is None:
            return
        name, size = name_of(self.rollout, "rollout"), 1 + self.down * self.across
        answer = ask(self.rollout, weights, name=name)
        taken = answer if answer.trouble else tensor_of(answer.value, (1, size, size), f"`{name}` returned")
        self.trouble = taken.trouble
        if not taken.trouble:
            self.views.append(ROLLED)
            self.maps = np.concatenate([self.maps, taken.value])

    @property
    def down(self) -> int:
        """Rows of patches."""
        return self.height // self.patch

    @property
    def across(self) -> int:
        """Columns of patches."""
        return self.width // self.patch

    def row(self) -> np.ndarray:
        """What the asking token read in the chosen view, the class token first."""
        return self.maps[min(self.view, len(self.views) - 1), min(self.asks, self.down * self.across)]

    # ---- words ----

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, in sentences."""
        found = [self.trouble] if self.trouble else []
        for name, one in zip(self.views, self.maps, strict=True):
            sums = one.sum(-1)
            off = ~(np.abs(sums - 1) <= SUM_TOLERANCE)
            if off.any():
                place = int(off.argmax())
                total = number(float(sums[place]))
                found.append(f"In the view “{name}”, what {self.token(place)} reads sums to {total}, not 1.")
        return found

    def token(self, place: int) -> str:
        """The name of a token."""
        return f"the {CLASS_TOKEN}" if place == 0 else f"patch {place}"

    @property
    def caption(self) -> str:
        """What the model says."""
        if not len(self.shares):
            return "No answer."
        order = np.argsort(-self.shares, kind="stable")[:3]
        said = ", ".join(f"{one} with {number(float(self.shares[one]))}" for one in order)
        return f"The model says {said}."

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        said = " ".join(self.problems) or "No problems."
        if not self.views:
            return f"A picture of {self.height} x {self.width} pixels. {self.caption} {said}"
        patches = self.row()[1:]
        best = ", ".join(f"{one + 1} {number(float(patches[one]))}" for one in np.argsort(-patches)[:3])
        where = (
            f"{self.views[min(self.view, len(self.views) - 1)]}: {self.token(self.asks)} reads most of patches {best}"
        )
        return f"A picture of {self.titles[self.picture]}. {self.caption} {where}. {said}"

    def _data(self) -> dict[str, Any]:
        return {
            "sides": [self.height, self.width, self.patch],
            "pictures": packed(self.images.astype(np.float32)),
            "titles": self.titles,
            "views": self.views,
            "maps": packed(self.maps.astype(np.float32)),
            "shares": [float(one) for one in self.shares],
            "caption": self.caption,
            "problems": self.problems,
        }

    def plot(self) -> Picture:
        """The picture, what was read of its patches, and the answer."""
        picture, axes = panels(1, 3, size=(9.6, 3.2), alt=self.alt)
        size = self.height * self.width
        image = np.resize([*self.pixels, *[0.0] * size][:size], (self.height, self.width))
        axes[0, 0].imshow(image, cmap="gray_r", vmin=0, vmax=1)
        axes[0, 0].set(
            xticks=np.arange(0, self.width, self.patch) - 0.5, xticklabels=[], title=self.titles[self.picture]
        )
        axes[0, 0].set(yticks=np.arange(0, self.height, self.patch) - 0.5, yticklabels=[])
        axes[0, 0].grid(color="#c2561a", linewidth=0.5)
        if self.views:
            grid = self.row()[1:].reshape(self.down, self.across)
            title = f"{self.views[min(self.view, len(self.views) - 1)]}: {self.token(self.asks)} reads"
            heatmap(axes[0, 1], grid, title=title, row_axis="patches down", column_axis="patches across")
        else:
            axes[0, 1].set_axis_off()
        axes[0, 2].bar(range(len(self.shares)), self.shares, color="#2b66ad")
        axes[0, 2].set(xticks=range(len(self.shares)), ylim=(0, 1), xlabel="answer", ylabel="probability")
        axes[0, 2].set_title("what it says")
        return picture


def _pictures(images: Any) -> np.ndarray:
    if not isinstance(images, Tensor) or not images.is_floating_point():
        raise ValueError(f"images is a {type(images).__name__}; give a float tensor {WANT}")
    if images.dim() != 4 or images.size(1) != 1 or 0 in images.shape or max(images.shape[2:]) > LARGEST:
        raise ValueError(f"images has shape {tuple(images.shape)}; give {WANT}")
    return images.detach().cpu().to(torch.float32).numpy()[:, 0]


def _patch_of(model: Any, height: int, width: int) -> int:
    side = getattr(getattr(model, "config", None), "patch_size", None)
    if not isinstance(side, int) or side < 1 or height % side or width % side:
        raise ValueError(f"model.config.patch_size is {side}; it has to divide {height} x {width}")
    return side


def _titles(labels: Any, count: int) -> list[str]:
    named = list(range(count)) if labels is None else torch.as_tensor(labels).tolist()
    if len(named) != count:
        raise ValueError(f"{len(named)} labels for {count} pictures; give one for each")
    return [f"picture {one}" for one in named] if labels is None else [f"a {one}" for one in named]


def _both(value: Any, tokens: int, name: str) -> Answer:
    """Logits (classes,) and the weights of each layer (heads, tokens, tokens), or what is wrong with them."""
    if not isinstance(value, (tuple, list)) or len(value) != 2 or not isinstance(value[1], (list, tuple)):
        return Answer(trouble=f"`{name}` returned no logits and list of weights.")
    logits, weights = value
    classes = logits.shape[-1] if isinstance(logits, Tensor) and logits.dim() == 2 else 0
    taken = [tensor_of(logits, (1, classes), f"`{name}` returned logits of")]
    for layer, one in enumerate(weights):
        heads = one.shape[1] if isinstance(one, Tensor) and one.dim() == 4 else 1
        taken.append(tensor_of(one, (1, heads, tokens, tokens), f"layer {layer} of `{name}` returned weights of"))
    trouble = next((one.trouble for one in taken if one.trouble), "")
    if not trouble and not np.isfinite(taken[0].value).all():
        trouble = f"`{name}` returned logits that are no numbers."
    return Answer(trouble=trouble) if trouble else Answer((taken[0].value[0], [one.value[0] for one in taken[1:]]))


def _views(weights: list[np.ndarray]) -> tuple[list[str], list[np.ndarray]]:
    """Every head and the mean of every layer, with their names."""
    names, maps = [], []
    for layer, heads in enumerate(weights):
        for head, one in enumerate(heads):
            names.append(f"layer {layer}, head {head}")
            maps.append(one)
        names.append(f"layer {layer}, mean")
        maps.append(heads.mean(0))
    return names, maps
