"""Wrong ways of cutting a sound and of hearing its frequencies."""

from autograder.checks.hearing.sound import frames, log_spectrogram
from autograder.probing.mistake import edit

# frames ----------------------------------------------------------------------------

CUT, SOUND, SIZES = "signal.unfold(-1, size, hop)", "return signal", "size, hop)"
GUARD = "if size < 1 or hop < 1 or signal.size(-1) < size:"
# What is missing at the end for one more whole frame.
MISSING = "-(signal.size(-1) - size) % hop"


def other_sound(other: str) -> dict[str, str]:
    """Another sound is cut; two of these go together, one after the other."""
    return {SOUND: f"signal = {other}\n    {SOUND}"}


frames.mistake(
    "hop taken for the overlap",
    "Your frames overlap by `hop` samples, so their starts are size - hop apart. `hop` is the way from one start to the next. Both conventions exist: scipy's `noverlap` is the other one.",
    {SIZES: "size, max(1, size - hop))"},
    edit(
        {
            CUT: "signal[..., (size - hop) * torch.arange((signal.size(-1) - size) // hop + 1)[:, None] + torch.arange(size)]"
        },
        says="Your frames overlap by `hop` samples, so their starts are size - hop apart, and there are as many of them as fit when they are `hop` apart. `hop` is the way from one start to the next.",
    ),
    also=[log_spectrogram],
)

frames.mistake(
    "the last frame is lost",
    "The last whole frame is missing, whether something is left behind it or not. The last start from which a frame fits is the length less the size, itself included.",
    {CUT: f"{CUT}[..., :-1, :]"},
    other_sound("signal[..., :-hop]"),
    edit(
        {CUT: f"{CUT}[..., : (signal.size(-1) - size + 1) // hop, :]"},
        says="Of some lengths the last whole frame is missing: your count is (length - size + 1) // hop. The 1 stands behind the division: (length - size) // hop + 1.",
    ),
    also=[log_spectrogram],
)

frames.mistake(
    "the first frame is lost",
    "Your first frame begins `hop` samples late. Frame 0 begins with sample 0.",
    {CUT: f"{CUT}[..., 1:, :]"},
    other_sound("signal[..., hop:]"),
)

frames.mistake(
    "the last frame is moved back",
    "What is left at the end becomes a frame of yours, which is moved back until it is whole. Its start is not `hop` samples behind the one before. What is left is dropped.",
    {CUT: f"torch.cat([{CUT}, signal[..., None, -size:][..., : (signal.size(-1) - size) % hop, :]], dim=-2)"},
    {CUT: f"torch.cat([{CUT}, signal[..., None, -size:]], dim=-2)"},
    edit(
        {CUT: f"torch.cat([{CUT}[..., :-1, :], signal[..., None, -size:]], dim=-2)"},
        says="Your last frame is moved on to the end of the sound, so that what is left stands in it. It begins `hop` samples behind the one before, like every frame. What is left is dropped.",
    ),
)

frames.mistake(
    "the rest is dropped in front",
    "Your frames end with the sound, and what makes no whole frame is dropped in front. Frame 0 begins with sample 0; what is left at the end is dropped.",
    other_sound("signal[..., (signal.size(-1) - size) % hop :]"),
    also=[log_spectrogram],
)

frames.mistake(
    "a step of one sample",
    "Your frames begin one sample after another, whatever `hop` says. Frame i begins with sample i · hop.",
    {SIZES: "size, 1)"},
    edit(
        {CUT: "signal[..., torch.arange((signal.size(-1) - size) // hop + 1)[:, None] + torch.arange(size)]"},
        says="You have as many frames as there should be, and they begin one sample after another. Frame i begins with sample i · hop.",
    ),
    also=[log_spectrogram],
)

frames.mistake(
    "counted by size",
    "You have as many frames as would stand side by side, length // size. Frames overlap: their starts are `hop` apart, so (length - size) // hop + 1 of them fit.",
    {CUT: f"{CUT}[..., : signal.size(-1) // size, :]"},
)

frames.mistake(
    "a frame that ends with the signal is lost",
    "Where a frame ends exactly with the signal it is missing. The last start from which a frame fits is the length less the size, itself included: `range(0, length - size + 1, hop)`.",
    other_sound("signal[..., :-1]"),
    {CUT: f"{CUT}[..., : (signal.size(-1) - size - 1) // hop + 1, :]"},
    {CUT: f"{CUT}[..., : max(1, (signal.size(-1) - size - 1) // hop + 1), :]"},
    {GUARD: GUARD.replace("signal.size(-1) < size", "signal.size(-1) <= size"), **other_sound("signal[..., :-1]")},
    also=[log_spectrogram],
)

frames.mistake(
    "the rest is filled up with zeros",
    "What is left at the end becomes a frame that is filled up with zeros. Only whole frames are asked for: a frame that is half silence has other frequencies, because the sound breaks off in it.",
    other_sound(f"F.pad(signal, (0, {MISSING}))"),
    edit(
        other_sound("F.pad(signal, (0, (-(-signal.size(-1) // hop) - 1) * hop + size - signal.size(-1)))"),
        says="A frame of yours begins at every `hop` samples of the sound, and what it lacks at the end is filled up with zeros. Only whole frames are asked for: a frame that is half silence has other frequencies, because the sound breaks off in it.",
    ),
    edit(
        other_sound("F.pad(signal, (0, (signal.size(-1) // hop - 1) * hop + size - signal.size(-1)))"),
        says="You have length // hop frames, and the last ones are filled up with zeros. Only whole frames are asked for: (length - size) // hop + 1.",
    ),
    edit(
        other_sound("F.pad(signal, (0, hop))"),
        says="You have one frame more than fit, and what it lacks is filled up with zeros. Only whole frames are asked for: (length - size) // hop + 1.",
    ),
    edit(
        other_sound("F.pad(signal, (size // 2, size // 2))"),
        says="Zeros stand in front of your first frame and behind the last one, half a frame of them, as torch.stft has it unless it is told otherwise. Only whole frames of the sound are asked for; the first begins with sample 0.",
    ),
    *(
        edit(
            other_sound(f"F.pad(signal, (0, {filled}))"),
            says=f"The sound is filled up with zeros {how} before it is cut. Only whole frames of the sound are asked for: what is left at the end is dropped.",
        )
        for filled, how in {
            "size": "by a whole frame",
            "size - 1": "by a frame less one sample",
            "-signal.size(-1) % size": "to a multiple of the size",
            "-signal.size(-1) % hop": "to a multiple of the hop",
        }.items()
    ),
    edit(
        other_sound("F.pad(signal, (max(0, size - hop), 0))"),
        says="Zeros stand in front of the sound, size - hop of them. The first frame begins with sample 0.",
    ),
)

frames.mistake(
    "the rest is filled up with other samples",
    "What is left at the end becomes a frame that is filled up with samples which do not stand there. Only whole frames are asked for: what is left is dropped.",
    *(
        edit(
            other_sound(f"torch.cat([signal, {samples.format(missing)}], dim=-1)"),
            says=f"{told} {how} Only whole frames of the sound are asked for: what is left at the end is dropped.",
        )
        for samples, told in (
            (
                "signal[..., -1:].expand(*signal.shape[:-1], {})",
                "Behind its end the sound goes on in yours with its last sample, over and over:",
            ),
            (
                "signal[..., torch.arange({}) % signal.size(-1)]",
                "Behind its end the sound begins once more in yours:",
            ),
            (
                "signal.flip(-1)[..., 1 + torch.arange({}) % (signal.size(-1) - 1)]",
                "Behind its end the sound runs backwards in yours, as in a mirror:",
            ),
        )
        for missing, how in (
            (MISSING, "the last frame is filled up so."),
            ("size - 1", "all frames that begin within it are filled up so."),
            ("hop", "there is one frame more than fit."),
        )
    ),
    *(
        edit(
            other_sound(f"signal[..., torch.arange((signal.size(-1) // hop - 1) * hop + size){within}]"),
            says=f"You have length // hop frames, and {told}. Only whole frames are asked for: (length - size) // hop + 1.",
        )
        for within, told in {
            ".clamp(max=signal.size(-1) - 1)": "behind its end the sound goes on in yours with its last sample",
            " % signal.size(-1)": "behind its end the sound begins once more in yours",
        }.items()
    ),
    edit(
        other_sound(f"torch.cat([signal, signal[..., :1].expand(*signal.shape[:-1], {MISSING})], dim=-1)"),
        says="The last frame is filled up with the first sample, over and over. Only whole frames of the sound are asked for: what is left at the end is dropped.",
    ),
)

frames.mistake(
    "counted by hop",
    "You have at most length // hop frames. That many begin within the sound only if a frame is as long as a hop: (length - size) // hop + 1 fit.",
    {CUT: f"{CUT}[..., : signal.size(-1) // hop, :]"},
)

frames.mistake(
    "frames as long as a hop",
    "Your frames have `hop` samples. `hop` says how far it is to the next frame, and `size` how long each is.",
    {SIZES: "hop, hop)"},
    {CUT: f"{CUT}[..., :hop]"},
)

frames.mistake(
    "a list of frames",
    "You return a list of frames. One tensor is promised, (num_frames, size): `torch.stack(..., dim=-2)`.",
    {CUT: f"list({CUT}.unbind(-2))"},
    {CUT: f"tuple({CUT}.unbind(-2))"},
)

frames.mistake(
    "the window already",
    "A window lies on your frames. Here the samples are asked for as they are; `log_spectrogram` lays the window on.",
    {CUT: f"{CUT} * torch.hann_window(size, dtype=signal.dtype)"},
)

frames.mistake(
    "stacked in the second dimension",
    "Your frames are stacked in dimension 1, which is right for several sounds and wrong for one. Counted from the end it is right for both: `torch.stack(..., dim=-2)`.",
    {CUT: f"torch.stack({CUT}.unbind(-2), dim=1)"},
)

frames.mistake(
    "frames and samples exchanged",
    "Your result has a column for each frame. The promise is a row for each: (num_frames, size).",
    {CUT: f"{CUT}.transpose(-1, -2)"},
)

frames.mistake(
    "frames in one row",
    "Your frames stand in one long row. Each is to have a row of its own, (num_frames, size): `torch.stack` makes a new dimension, `torch.cat` does not.",
    {CUT: f"{CUT}.flatten(-2)"},
)

frames.mistake(
    "frames in front of the sounds",
    "Of several sounds your frames come first, and then the sounds. Whatever stands in front of the samples stays in front: (sounds, num_frames, size). `torch.stack(..., dim=-2)`.",
    {CUT: f"{CUT}.movedim(-2, 0)"},
    also=[log_spectrogram],
)

frames.mistake(
    "cut along the first dimension",
    "You cut along the first dimension. `signal` may hold several sounds, and samples stand in the last one: `signal.size(-1)` and `signal[..., start : start + size]`, or `unfold(-1, ...)`.",
    {"unfold(-1": "unfold(0"},
)

frames.mistake(
    "frames side by side",
    "Your frames stand side by side, a whole `size` apart, whatever `hop` says. A key that begins at the end of one frame and ends in the next is then cut in two, and no frame hears it whole.",
    {SIZES: "size, size)"},
    also=[log_spectrogram],
)

frames.mistake(
    "size and hop exchanged",
    "Your frames have `hop` samples and their starts are `size` apart. `size` is how long a frame is, `hop` how far it is to the next.",
    {SIZES: "hop, size)"},
    edit({CUT: "signal[..., torch.arange(0, signal.size(-1) - size + 1, size)[:, None] + torch.arange(hop)]"}),
)

frames.mistake(
    "the graph is cut",
    "No gradient reaches the sound: it is cut off by `detach`, `.data`, `torch.no_grad()`, numpy or a new tensor. Slices, `unfold` and `torch.stack` hand it on.",
    {CUT: f"{CUT}.detach()"},
    other_sound("signal.detach()"),
)

frames.mistake(
    "the frames backwards",
    "Your frames come from the last to the first. Frame 0 holds the samples from 0 on.",
    {CUT: f"{CUT}.flip(-2)"},
    edit(
        {CUT: f"{CUT}.flip(-1)"},
        says="Within each of your frames the samples come from the last to the first. They keep their order.",
    ),
)

frames.mistake(
    "the mean is taken off",
    "You take the mean of each frame off it. The samples are asked for as they are.",
    {CUT: f"(lambda cut: cut - cut.mean(dim=-1, keepdim=True))({CUT})"},
    edit(
        other_sound("signal - signal.mean(dim=-1, keepdim=True)"),
        says="You take the mean of the sound off it before it is cut. The samples are asked for as they are.",
    ),
    edit(
        other_sound("signal - signal.mean()"),
        says="You take the mean of all samples off, of all sounds together. The samples are asked for as they are.",
    ),
)

frames.mistake(
    "a frame lacks a sample",
    "Your frames have size - 1 samples: the last one is missing in each. Frame i ends before sample i · hop + size.",
    {CUT: f"{CUT}[..., :-1]"},
    edit(
        {CUT: f"{CUT}[..., 1:]"},
        says="Your frames have size - 1 samples: the first one is missing in each. Frame i begins with sample i · hop.",
    ),
)

frames.mistake(
    "not each sound by itself",
    "The frames of all your sounds stand in one list. Whatever stands in front of the samples stays in front: (sounds, num_frames, size).",
    {CUT: f"{CUT}.reshape(-1, size)"},
    edit(
        other_sound("signal.flatten()"),
        says="Several sounds become one in yours, one behind the other, and it is cut as a whole. Frames then begin in one sound and end in the next. Cut along the last dimension alone.",
    ),
    edit(
        other_sound("signal.reshape(-1, signal.size(-1))[0]"),
        says="Of several sounds you cut the first alone. Whatever stands in front of the samples stays in front: `signal[..., start : start + size]`.",
    ),
    edit(
        other_sound("signal.reshape(-1, signal.size(-1))[0].expand(signal.shape)"),
        says="Of several sounds each gets the frames of the first. Cut each of them: `signal[..., start : start + size]`.",
    ),
    edit(
        other_sound("signal.reshape(-1, signal.size(-1)).mean(dim=0)"),
        says="Several sounds become one in yours, their mean. Each is to be cut by itself.",
    ),
    edit(
        {CUT: f"(lambda cut: cut.reshape(-1, *cut.shape[-2:]))({CUT})"},
        says="Your result has three dimensions, whatever the sounds have. What stands in front of the samples stays as it was: `signal.shape[:-1]`.",
    ),
)

frames.mistake(
    "the starts are a sample off",
    "Your first frame begins with sample 1, and all others a sample late. Samples are counted from 0, and frame i begins with sample i · hop.",
    other_sound("signal[..., 1:]"),
    {CUT: "signal.unfold(-1, size, 1)[..., 1::hop, :]"},
    edit(
        other_sound("signal[..., (torch.arange(signal.size(-1)) + 1).clamp(max=signal.size(-1) - 1)]"),
        says="Every frame begins a sample late, and the last sample stands twice where there is none behind it. Frame i begins with sample i · hop.",
    ),
    edit(
        {
            CUT: "signal.unfold(-1, size, 1)[..., (torch.arange((signal.size(-1) - size) // hop + 1) * hop - 1).clamp(min=0), :]"
        },
        says="All frames but the first begin a sample early. Frame i begins with sample i · hop.",
    ),
    edit(
        other_sound("signal.roll(1, dims=-1)"),
        says="Every frame begins a sample early, and sample -1 of the first is the sound's last one. Frame i begins with sample i · hop.",
    ),
)

frames.mistake(
    "a hop beyond the size is cut off",
    "Where `hop` is above `size` your frames stand side by side. Then samples between two frames are in none: the starts are `hop` apart whatever the size is.",
    {SIZES: "size, min(size, hop))"},
)

frames.mistake(
    "a right signal is refused",
    "You refuse a signal that is exactly as long as a frame. It has one frame: only a shorter one is refused.",
    {GUARD: GUARD.replace("signal.size(-1) < size", "signal.size(-1) <= size")},
    edit(
        {GUARD: GUARD.replace(" or signal", " or hop > size or signal")},
        says="You refuse a hop above the size. Frames may stand apart: samples between two of them are in none.",
    ),
    edit(
        {GUARD: GUARD.replace(" or signal", " or hop >= size or signal")},
        says="You refuse a hop that is not below the size. Frames may stand side by side, or apart.",
    ),
)

frames.mistake(
    "a wrong signal is let pass",
    "A signal shorter than a frame is filled up with zeros. It has no whole frame, and the promise is a ValueError.",
    edit(
        {
            GUARD: "if size < 1 or hop < 1:",
            SOUND: f"signal = F.pad(signal, (0, max(0, size - signal.size(-1))))\n    {SOUND}",
        },
        says="A signal shorter than a frame is filled up with zeros. It has no whole frame, and the promise is a ValueError.",
    ),
    edit(
        {
            GUARD: "if size < 1 or hop < 1:",
            SOUND: f"size = min(size, signal.size(-1))\n    {SOUND}",
        },
        says="A signal shorter than a frame becomes a frame of its own length. It has no whole frame, and the promise is a ValueError.",
    ),
    edit(
        {
            GUARD: "if size < 1 or hop < 1:",
            SOUND: f"if signal.size(-1) < size:\n        return signal.new_zeros(*signal.shape[:-1], 0, size)\n    {SOUND}",
        },
        says="A signal shorter than a frame has no frame in yours, and nobody is told. The promise is a ValueError.",
    ),
    edit(
        {GUARD: "if size < 1 or hop < 1:"},
        says="You do not look whether the signal is shorter than a frame. The promise is a ValueError, which says so.",
    ),
    edit(
        {GUARD: "if signal.size(-1) < size:"},
        says="You do not look whether size or hop is below 1. The promise is a ValueError, which says so.",
    ),
    edit(
        {GUARD: "if False:"},
        says="You do not look whether signal, size and hop fit. The promise is a ValueError, which says so.",
    ),
)

# log_spectrogram ----------------------------------------------------------------------------

WINDOW = "window = torch.hann_window(size, dtype=signal.dtype)"
POWER = "torch.fft.rfft(frames(signal, size, hop) * window).abs() ** 2"
LOG = "return (power + floor).log()"

log_spectrogram.mistake(
    "no window",
    "No window is laid on the frames. A frame then begins and breaks off in the middle of the sound, and every tone spreads over all bins. Multiply the frames by `torch.hann_window(size)`.",
    {" * window).abs()": ").abs()"},
)

log_spectrogram.mistake(
    "the window lies on the whole sound",
    "Your window lies on the whole sound, before it is cut: the middle of the sound is loud and its ends are silent, and each frame still breaks off. The window has as many numbers as a frame; multiply the frames by it.",
    {
        WINDOW: "window = torch.hann_window(signal.size(-1), dtype=signal.dtype)",
        POWER: "torch.fft.rfft(frames(signal * window, size, hop)).abs() ** 2",
    },
    edit(
        {
            "frames(signal, size, hop)": "frames(signal * torch.hann_window(signal.size(-1), dtype=signal.dtype), size, hop)"
        },
        says="A window lies on the whole sound, before it is cut, and another one on each frame. The first makes the middle of the sound loud and its ends silent: leave it out.",
    ),
)

log_spectrogram.mistake(
    "the window lies on the frequencies",
    "Your window lies on the frequencies, behind the transform: the middle ones are loud, the lowest and the highest are silent, and each frame still breaks off. It belongs on the samples of a frame, before `torch.fft.rfft`.",
    {
        WINDOW: "window = torch.hann_window(size // 2 + 1, dtype=signal.dtype)",
        POWER: "torch.fft.rfft(frames(signal, size, hop)).abs() ** 2 * window",
    },
    {
        WINDOW: "window = torch.hann_window(size // 2 + 1, dtype=signal.dtype)",
        POWER: "(torch.fft.rfft(frames(signal, size, hop)) * window).abs() ** 2",
    },
    *(
        edit(
            {POWER: f"torch.fft.rfft(frames(signal, size, hop)).abs() ** 2 * {window}"},
            says="Half of your window lies on the power of the frequencies, behind the transform, so the low ones are silent, and each frame still breaks off. It belongs on the samples of a frame, before `torch.fft.rfft`.",
        )
        for window in ("window[: size // 2 + 1]",)
    ),
    edit(
        {POWER: "(torch.fft.rfft(frames(signal, size, hop)) * window[: size // 2 + 1]).abs() ** 2"},
        says="Half of your window lies on the frequencies, behind the transform, so the low ones are silent, and each frame still breaks off. It belongs on the samples of a frame, before `torch.fft.rfft`.",
    ),
)

log_spectrogram.mistake(
    "the window stands upside down",
    "Your window is 1 where Hann's is 0: loud at both ends of a frame, and silent in its middle. Is there a minus in front of the cosine? (1 - cos(2πn / N)) / 2.",
    {WINDOW: f"{WINDOW}\n    window = 1 - window"},
)

log_spectrogram.mistake(
    "the window is not halved",
    "Your window is twice as large as Hann's, and every power four times: 1 - cos(2πn / N) is still to be divided by 2.",
    {WINDOW: f"{WINDOW} * 2"},
)

log_spectrogram.mistake(
    "half a wave in the window",
    "Your window rises from the first sample to the last and does not fall again: its cosine goes round by half. It is cos(2πn / N), once round.",
    {WINDOW: "window = (1 - torch.cos(torch.pi * torch.arange(size, dtype=signal.dtype) / size)) / 2"},
)

log_spectrogram.mistake(
    "the window begins elsewhere",
    "Your window is counted from n = 1. It is counted from n = 0, so that its first number is 0.",
    {WINDOW: f"{WINDOW}.roll(-1)"},
    edit(
        {WINDOW: "window = torch.hann_window(size + 1, dtype=signal.dtype)[:-1]"},
        says="Your window is one of size + 1 numbers, without its last. The periodic one has left that out already: `torch.hann_window(size)`.",
    ),
    edit(
        {WINDOW: "window = torch.hann_window(size + 1, dtype=signal.dtype)[1:]"},
        says="Your window is one of size + 1 numbers, without its first. It is `torch.hann_window(size)`, whose first number is 0.",
    ),
    edit(
        {WINDOW: "window = torch.hann_window(size + 2, periodic=False, dtype=signal.dtype)[1:-1]"},
        says="Your window has no 0 at its ends: it is the symmetric one of size + 2 numbers, without the first and the last. The periodic one is asked for: `torch.hann_window(size)`.",
    ),
    edit(
        {WINDOW: "window = torch.sin(torch.pi * (torch.arange(size, dtype=signal.dtype) + 0.5) / size) ** 2"},
        says="Your window is counted from n = 1/2, so that it is the same from both sides. The periodic one is counted from n = 0, and its first number is 0.",
    ),
)

log_spectrogram.mistake(
    "the window is added",
    "You add the window to the frames. It is laid on by multiplying: where it is 0 nothing is to be heard.",
    {"* window).abs()": "+ window).abs()"},
)

log_spectrogram.mistake(
    "the window twice",
    "Your window is laid on twice, which is its square. Once is asked for: the frames times `torch.hann_window(size)`.",
    {WINDOW: f"{WINDOW}\n    window = window * window"},
    edit(
        {WINDOW: "window = torch.hann_window(size, dtype=signal.dtype).sqrt()"},
        says="Your window is the root of Hann's. The root is for those who lay it on twice, once more on the way back; here it is the window itself.",
    ),
)

log_spectrogram.mistake(
    "the symmetric window",
    "Your Hann window is the symmetric one, which ends where it begins. For a Fourier transform the periodic one is meant, whose last number is left out; it is what `torch.hann_window(size)` gives, and numpy's `hanning` is the other.",
    {WINDOW: "window = torch.hann_window(size, periodic=False, dtype=signal.dtype)"},
)

log_spectrogram.mistake(
    "another window",
    "Your window is Hamming's, which does not go down to 0 at its ends. The other name is the one that is asked for: `torch.hann_window`.",
    {WINDOW: "window = torch.hamming_window(size, dtype=signal.dtype)"},
    edit(
        {WINDOW: "window = torch.blackman_window(size, dtype=signal.dtype)"},
        says="Your window is Blackman's, which is narrower. Hann's is asked for: `torch.hann_window`.",
    ),
    edit(
        {WINDOW: "window = torch.bartlett_window(size, dtype=signal.dtype)"},
        says="Your window is a triangle, Bartlett's. Hann's is asked for: `torch.hann_window`.",
    ),
)

log_spectrogram.mistake(
    "magnitude for power",
    "You take the magnitude, where the power is its square. In the logarithm that would be a factor of 2, if there were no floor: with it, quiet sounds are lifted more than loud ones. Square it.",
    {".abs() ** 2": ".abs()"},
    edit(
        {".abs() ** 2": ".abs()", LOG: "return 2 * (power + floor).log()"},
        says="You add the floor to the magnitude, and square both together, or take the logarithm twice. The floor belongs to the power: square the magnitude first.",
    ),
    edit(
        {".abs() ** 2": ".abs()", LOG: "return 20 * (power + floor).log10()"},
        says="Your numbers are decibels of the magnitude, with the floor added to it. The natural logarithm of power + floor is asked for.",
    ),
    edit(
        {".abs() ** 2": ".abs()", LOG: "return (power + floor).log() ** 2"},
        says="You square the logarithm, where the magnitude is to be squared before it. Square first, then floor and logarithm.",
    ),
    edit(
        {LOG: "return (power + floor).sqrt().log()"},
        says="You take the root of power + floor before the logarithm, so all numbers are half of what they should be. The logarithm of the power is asked for, without a root.",
    ),
    edit(
        {LOG: "return 2 * (power + floor).log()"},
        says="All numbers are twice what they should be. The magnitude is squared already; a factor of 2 in front of the logarithm squares once more.",
    ),
    edit(
        {".abs() ** 2": ".abs() ** 4"},
        says="You square twice: yours is the fourth power of the magnitude. The power of a bin is its square.",
    ),
    edit(
        {".abs() ** 2": ".abs() ** 0.5"},
        says="You take the root of the magnitude. The power of a bin is its square.",
    ),
    edit(
        {".abs() ** 2": ".abs() ** 3"},
        says="You take the third power of the magnitude. The power of a bin is its square.",
    ),
)

log_spectrogram.mistake(
    "a floor of its own",
    "Your floor is a number of its own, whatever `floor` says: yours is 1, as `log1p` has it.",
    {LOG: "return power.log1p()"},
    edit(
        {LOG: "return (power + 1e-2).log()"},
        says="Your floor is 0.01, whatever `floor` says. That is only what it is when nothing else is asked for.",
    ),
    *(
        edit(
            {"floor: float = 1e-2": f"floor: float = {default}"},
            says=f"Your floor is {default} where none is asked for. It is 0.01 then: `floor=1e-2`.",
        )
        for default in ("1e-3", "1e-5", "1e-6", "1e-8", "1e-10", "1.0")
    ),
    edit({LOG: "return (power + 1e-6).log()"}, says="Your floor is 0.000001, whatever `floor` says."),
    edit({LOG: "return (power + 1e-8).log()"}, says="Your floor is 0.00000001, whatever `floor` says."),
    edit({LOG: "return (power + 1e-10).log()"}, says="Your floor is 1e-10, whatever `floor` says."),
    edit(
        {LOG: "return (power + floor).log1p()"},
        says="You add 1 beside the floor: `log1p` is the logarithm of 1 + x. It is `torch.log`.",
    ),
    edit(
        {LOG: "return (power + floor**2).log()"},
        says="You add the floor's square. The floor is a power already: add it as it is.",
    ),
    edit(
        {LOG: "return (power * floor).log()"},
        says="You multiply by the floor. It is added, so that silence has a logarithm.",
    ),
    edit(
        {LOG: "return (power - floor).log()"},
        says="You take the floor away from the power, and the logarithm of what is then below 0 is NaN. It is added.",
    ),
)

log_spectrogram.mistake(
    "a bin is left out",
    "The highest frequency is missing: you have size // 2 bins. `torch.fft.rfft` gives size // 2 + 1, and all are asked for.",
    {LOG: "return (power[..., :-1] + floor).log()"},
    edit(
        {LOG: "return (power[..., 1:] + floor).log()"},
        says="The lowest frequency is missing, bin 0. `torch.fft.rfft` gives size // 2 + 1 bins, and all are asked for.",
    ),
)

log_spectrogram.mistake(
    "the bins in the middle count twice",
    "You double the power of all bins but the first and the last, for the half of the spectrum that `rfft` leaves out. Some libraries do so; here the plain squared magnitude is meant, as `torch.stft` has it.",
    {
        LOG: "bins = torch.arange(size // 2 + 1)\n    return (power * torch.where((bins > 0) & (2 * bins < size), 2.0, 1.0) + floor).log()"
    },
    {
        LOG: "bins = torch.arange(size // 2 + 1)\n    return (power * torch.where((bins > 0) & (bins < size // 2), 2.0, 1.0) + floor).log()"
    },
    edit(
        {LOG: "return (2 * power + floor).log()"},
        says="All your powers are doubled. The plain squared magnitude is meant, as `torch.stft` has it.",
    ),
)

log_spectrogram.mistake(
    "the mean is taken off",
    "You take the mean of each frame off it. What stands still, bin 0, is asked for too: the frames are taken as they are.",
    {
        POWER: "torch.fft.rfft((frames(signal, size, hop) - frames(signal, size, hop).mean(dim=-1, keepdim=True)) * window).abs() ** 2"
    },
    edit(
        {
            "frames(signal, size, hop) * window": "(lambda cut: cut - cut.mean(dim=-1, keepdim=True))(frames(signal, size, hop) * window)"
        },
        says="You take the mean of each frame off it, under the window, so that bin 0 is empty. What stands still is asked for too.",
    ),
    edit(
        {
            "frames(signal, size, hop) * window": "frames(signal - signal.mean(dim=-1, keepdim=True), size, hop) * window"
        },
        says="You take the mean of the sound off it. What stands still, bin 0, is asked for too: the sound is taken as it is.",
    ),
)

log_spectrogram.mistake(
    "the spectra in one row",
    "Your spectra stand in one long row. Each frame is to have a row of its own, (num_frames, num_bins): `torch.stack` makes a new dimension, `torch.cat` does not.",
    {LOG: "return (power + floor).log().flatten(-2)"},
)

log_spectrogram.mistake(
    "transformed across the frames",
    "Your transform goes from frame to frame. It belongs within a frame: `torch.fft.rfft` works on the last dimension unless it is told otherwise.",
    {"* window).abs()": "* window, dim=-2).abs()"},
    edit(
        {"* window).abs()": "* window, dim=-2).abs().transpose(-1, -2)"},
        says="Frames and samples are turned before the transform, which then goes from frame to frame. It belongs within a frame: `torch.fft.rfft` works on the last dimension unless it is told otherwise.",
    ),
)

log_spectrogram.mistake(
    "filled up to a power of two",
    "Your frames are filled up with zeros to the next power of two, so there are more bins. size // 2 + 1 are asked for: `torch.fft.rfft` takes any size.",
    {"* window).abs()": "* window, n=1 << (size - 1).bit_length()).abs()"},
    edit(
        {"* window).abs()": "* window, n=2 * size).abs()"},
        says="Your frames are filled up with zeros to twice their size, so there are more bins. size // 2 + 1 are asked for: `torch.fft.rfft` takes any size.",
    ),
)

log_spectrogram.mistake(
    "the floor cuts instead of being added",
    "What lies below the floor is put at the floor, and the rest stays. Here the floor is added to every power: so the logarithm has no corner, and faint sounds still differ.",
    {LOG: "return power.clamp(min=floor).log()"},
)

log_spectrogram.mistake(
    "no floor",
    "The floor is not added. Where a sound is silent the logarithm is minus infinity, and one such number makes everything behind it NaN. Add it before the logarithm.",
    {LOG: "return power.log()"},
)

log_spectrogram.mistake(
    "the floor is added after the logarithm",
    "The floor is added to the logarithm. There it only shifts all numbers; silence has become minus infinity before. Add it to the power.",
    {LOG: "return power.log() + floor"},
    edit(
        {LOG: "return power.log().clamp(min=floor)"},
        says="Your logarithm is cut off at the floor. The floor is a power, and is added to the power: `(power + floor).log()`.",
    ),
)

log_spectrogram.mistake(
    "another logarithm",
    "Your logarithm has another base: yours is the one of base 10. The natural one is asked for, as in `torch.log`.",
    {LOG: "return (power + floor).log10()"},
    edit(
        {LOG: "return 10 * (power + floor).log10()"},
        says="Your numbers are decibels: ten times the logarithm of base 10. The natural logarithm is asked for, as in `torch.log`.",
    ),
    edit(
        {LOG: "return (power + floor).log2()"},
        says="Your logarithm has another base: yours is the one of base 2. The natural one is asked for, as in `torch.log`.",
    ),
)

log_spectrogram.mistake(
    "no logarithm",
    "The logarithm is missing. A loud key is then a thousand times as large as a quiet one, and a network hears little else. Ears hear ratios too: take the logarithm at the end.",
    {LOG: "return power + floor"},
)

log_spectrogram.mistake(
    "time and frequency exchanged",
    "Your result has a row for each frequency, as `torch.stft` has it. The promise is a row for each frame: (num_frames, num_bins), so that frames are the tokens.",
    {LOG: "return (power + floor).log().transpose(-1, -2)"},
)

log_spectrogram.mistake(
    "every frequency twice",
    "Your spectrum has size bins. For real numbers the second half is the first once more, in reverse: `torch.fft.rfft` gives size // 2 + 1 bins.",
    {"torch.fft.rfft(": "torch.fft.fft("},
)

log_spectrogram.mistake(
    "the real part alone",
    "You take the real part of the transform. It depends on where in its wave the tone stands when the frame begins. The magnitude does not: `.abs()`, or the sum of both squares.",
    {".abs() ** 2": ".real ** 2"},
    {".abs() ** 2": ".real.abs()"},
    edit(
        {".abs() ** 2": ".imag ** 2"},
        says="You take the imaginary part of the transform. It depends on where in its wave the tone stands when the frame begins. The magnitude does not: `.abs()`, or the sum of both squares.",
    ),
)

log_spectrogram.mistake(
    "the parts are added before they are squared",
    "You add the real and the imaginary part, and square the sum. The power is the sum of their squares: square each, then add.",
    {
        POWER: "torch.view_as_real(torch.fft.rfft(frames(signal, size, hop) * window)).sum(dim=-1) ** 2",
    },
    edit(
        {POWER: "(lambda heard: (heard.real - heard.imag) ** 2)(torch.fft.rfft(frames(signal, size, hop) * window))"},
        says="You add what the cosine and what the sine give, and square the sum. The power is the sum of their squares: square each, then add.",
    ),
    edit(
        {".abs() ** 2": ".square().real"},
        says="You square the complex number and take its real part, which is the difference of the two squares. The power is their sum: `.abs() ** 2`.",
    ),
    edit(
        {POWER: "torch.view_as_real(torch.fft.rfft(frames(signal, size, hop) * window)).abs().sum(dim=-1)"},
        says="You add the sizes of the real and of the imaginary part. The power is the sum of their squares: square each, then add.",
    ),
    edit(
        {POWER: "torch.view_as_real(torch.fft.rfft(frames(signal, size, hop) * window)).square().mean(dim=-1)"},
        says="You take the mean of the two squares, which is half the power. The power is their sum.",
    ),
)

log_spectrogram.mistake(
    "the signal is padded at both ends",
    "You have frames beyond both ends of the sound: half a frame has been added there, by mirror or by zeros, as `torch.stft` does unless it is told otherwise. Here only whole frames of the sound count: `center=False`.",
    {
        POWER: POWER.replace("frames(signal,", "frames(F.pad(signal[None], (size // 2, size // 2), mode='reflect')[0],")
        .replace("F.pad(signal[None]", "F.pad(signal.reshape(1, -1, signal.size(-1))")
        .replace("mode='reflect')[0]", "mode='reflect').reshape(*signal.shape[:-1], -1)")
    },
    {POWER: POWER.replace("frames(signal,", "frames(F.pad(signal, (size // 2, size // 2)),")},
)

log_spectrogram.mistake(
    "divided by the size",
    "Your power is divided by the size of a frame. Many libraries do so; here the plain squared magnitude is meant, as `torch.stft` has it, and a floor is chosen to fit.",
    {LOG: "return (power / size + floor).log()"},
    edit(
        {LOG: "return (power / window.square().sum() + floor).log()"},
        says="Your power is divided by the window's own. Many libraries do so; here the plain squared magnitude is meant, as `torch.stft` has it, and a floor is chosen to fit.",
    ),
    edit(
        {LOG: "return (power / window.sum() + floor).log()"},
        says="Your power is divided by the sum of the window. Here the plain squared magnitude is meant, as `torch.stft` has it, and a floor is chosen to fit.",
    ),
    edit(
        {LOG: "return (power / size**2 + floor).log()"},
        says='Your transform is divided by the size of a frame, as `norm="forward"` does. Here the plain squared magnitude is meant, as `torch.stft` has it, and a floor is chosen to fit.',
    ),
    edit(
        {LOG: "return (power / window.sum() ** 2 + floor).log()"},
        says="Your magnitude is divided by the sum of the window. Many libraries do so; here the plain squared magnitude is meant, as `torch.stft` has it, and a floor is chosen to fit.",
    ),
    edit(
        {"* window).abs()": '* window, norm="ortho").abs()'},
        says='Your transform is divided by the root of the size of a frame, as `norm="ortho"` does. Here the plain squared magnitude is meant, as `torch.stft` has it, and a floor is chosen to fit.',
    ),
    edit(
        {"* window).abs()": '* window, norm="forward").abs()'},
        says='Your transform is divided by the size of a frame, as `norm="forward"` does. Here the plain squared magnitude is meant, as `torch.stft` has it, and a floor is chosen to fit.',
    ),
)

log_spectrogram.mistake(
    "the level is taken off",
    "You take the mean over all frames off each bin. What lasts for the whole sound is then gone, and a frame depends on all others. The logarithm is asked for as it is.",
    {LOG: "return (lambda heard: heard - heard.mean(dim=-2, keepdim=True))((power + floor).log())"},
    *(
        edit({LOG: changed}, says=f"{told} How loud it was is then gone. The power is asked for as it is.")
        for changed, told in {
            "return (lambda heard: heard - heard.mean(dim=-1, keepdim=True))((power + floor).log())": "You take the mean of all bins off each frame.",
            "return (lambda heard: heard - heard.mean())((power + floor).log())": "You take the mean of the whole result off it.",
            "return (lambda heard: heard - heard.amax())((power + floor).log())": "You take the largest number of the whole result off it.",
            "return (power / power.amax(dim=-1, keepdim=True).clamp(min=1e-9) + floor).log()": "You divide the power of each frame by its largest.",
            "return (power / power.amax() + floor).log()": "You divide all powers by the largest of them.",
            "return (power / power.sum(dim=-1, keepdim=True) + floor).log()": "You divide the power of each frame by its sum.",
        }.items()
    ),
)

log_spectrogram.mistake(
    "a hop of its own",
    "Your frames are half a frame apart, whatever `hop` says. Hand it to `frames`: a frame begins `hop` samples after the one before.",
    {"frames(signal, size, hop)": "frames(signal, size, size // 2)"},
)

log_spectrogram.mistake(
    "the graph is cut",
    "No gradient comes through to the signal: it is cut off by `detach`, numpy, `torch.no_grad()` or a new tensor. Compute with the signal as it is given, in torch.",
    {"frames(signal, size, hop)": "frames(signal.detach(), size, hop)"},
)
