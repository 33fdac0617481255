"""Lesson 19: its sounds, the textbook's decoder, the table, and the parts beside torch's own."""

import io
import random
import wave

import numpy as np
import pytest
import torch

from autograder.stand_ins import hearing as stand_ins
from course import goertzel, tones_table
from course.tones import BOS, EOS, HOP, KEYS, PAD, RATE, SIZE, dial, ids_of, keys_of, padded, some_sounds, texts
from course.transcribing import Parts, both_readings, key_error_rate, new_transcriber, training_step
from course.widgets.sounds import wav
from solutions import hearing as reference

PARTS = Parts(**{name: getattr(reference, name) for name in Parts.__annotations__})

# sounds ----------------------------------------------------------------------------


def test_each_key_has_the_two_tones_of_q23():
    for key, (low, high) in {"1": (697, 1209), "5": (770, 1336), "D": (941, 1633), "#": (941, 1477)}.items():
        sound = dial(key, steady=True)
        start, end = sound.spans[0]
        power = torch.fft.rfft(sound.signal[start:end], n=RATE).abs()  # a bin is a hertz
        for tone in (low, high):
            near = power[tone - 60 : tone + 60]
            assert abs(int(near.argmax()) + tone - 60 - tone) <= 3


def test_the_same_seed_gives_the_same_sounds_and_they_keep_to_the_lengths():
    one, other = (some_sounds(20, seed=3) for _ in range(2))
    assert all(torch.equal(a.signal, b.signal) and a.keys == b.keys for a, b in zip(one, other, strict=True))
    assert all(3 <= len(sound.keys) <= 8 for sound in one)
    lengths = [end - start for sound in one for start, end in sound.spans]
    assert min(lengths) >= 0.04 * RATE - 1 and max(lengths) <= 0.12 * RATE + 1


def test_ids_and_keys_are_each_others_inverse_up_to_the_end():
    assert keys_of(ids_of(KEYS)) == KEYS
    assert keys_of([*ids_of("47"), EOS, *ids_of("1")]) == "47"
    read, write = texts([dial("47A"), dial("5")])
    assert read.tolist()[1] == [BOS, *ids_of("5"), PAD, PAD] and write.tolist()[1] == [*ids_of("5"), EOS, PAD, PAD]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: dial("12x"), "no key"),
        (lambda: dial("1", noise=-1), "noise=-1"),
        (lambda: dial("1", rate=3000), "too low for 1633 Hz"),
        (lambda: padded([]), "0 sounds"),
    ],
)
def test_bad_input_is_said(wrong, said):
    with pytest.raises(ValueError, match=said):
        wrong()


# the textbook ----------------------------------------------------------------------------


def test_the_textbook_reads_every_steady_message_without_noise():
    sounds = [dial("".join(random.Random(seed).choices(KEYS, k=8)), steady=True) for seed in range(20)]
    assert goertzel.decode(*padded(sounds)) == [one.keys for one in sounds]


def test_what_is_played_is_what_was_dialled():
    sound = dial("47*0#D", random.Random(2))
    with wave.open(io.BytesIO(wav(sound.signal))) as file:
        numbers = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    signal = torch.from_numpy(numbers[::2].astype("f4"))
    scale = float(sound.signal.abs().max() / signal.abs().max())
    assert torch.allclose(signal * scale, sound.signal, atol=2e-2)
    frames = torch.ones(1, 1 + (len(signal) - SIZE) // HOP, dtype=torch.bool)
    assert goertzel.decode(signal[None], frames) == ["47*0#D"]


# the parts ----------------------------------------------------------------------------


def test_the_spectrogram_is_that_of_torch():
    x = torch.randn(3, 700, generator=torch.Generator().manual_seed(0))
    theirs = torch.stft(x, SIZE, HOP, window=torch.hann_window(SIZE), center=False, return_complex=True)
    assert torch.allclose(reference.log_spectrogram(x, SIZE, HOP), (theirs.abs() ** 2 + 1e-2).log().mT, atol=1e-4)


@pytest.mark.parametrize("text", [[], [1], [1, 1], [2, 3, 2], [1, 2, 3, 4, 1, 2]])
def test_ctc_is_that_of_torch_with_its_gradients(text):
    logits = torch.randn(7, 5, dtype=torch.double, generator=torch.Generator().manual_seed(len(text)))
    found = []
    for loss in (reference.ctc_loss, stand_ins.ctc_loss):
        given = logits.clone().requires_grad_()
        value = loss(given.log_softmax(-1), torch.tensor(text, dtype=torch.long), 0)
        value.backward()
        found.append((value.detach(), given.grad))
    assert torch.allclose(found[0][0], found[1][0]) and torch.allclose(found[0][1], found[1][1], atol=1e-10)


def test_reference_and_stand_in_are_one_model():
    torch.manual_seed(0)
    ours = reference.Transcriber(reference.TranscriberConfig(SIZE // 2 + 1, 19))
    theirs = stand_ins.Transcriber(stand_ins.TranscriberConfig(SIZE // 2 + 1, 19))
    theirs.load_state_dict(ours.state_dict())
    sounds = some_sounds(4, seed=1)
    signals, mask = padded(sounds)
    spectrogram = reference.log_spectrogram(signals, SIZE, HOP)[:, : mask.size(1)]
    read, write = texts(sounds)
    one, other = (model.eval()(spectrogram, mask, read) for model in (ours, theirs))
    real = write != PAD
    assert torch.allclose(one[0][real], other[0][real], atol=1e-4)
    half = reference.downsample_mask(mask)
    assert torch.allclose(one[1][half], other[1][half], atol=1e-4)
    losses = [part.joint_loss(*one, write, half, 0.3, PAD, EOS) for part in (reference, stand_ins)]
    assert torch.allclose(*losses, atol=1e-4)


def test_a_training_step_lowers_the_loss_on_what_it_has_heard():
    model = new_transcriber(PARTS, seed=0)
    step = training_step(model, PARTS, steps=12)
    losses = [step(number) for number in range(12)]
    assert losses[-1] < losses[0] / 1.5
    sounds = some_sounds(3, seed=1)
    decoder, ctc = both_readings(model, PARTS, sounds)
    assert len(decoder) == len(ctc) == 3 and key_error_rate([one.keys for one in sounds], sounds, PARTS) == 0


# the table ----------------------------------------------------------------------------


def test_the_page_beside_the_log_is_what_the_log_says():
    written = (tones_table.DATA / tones_table.PAGE).read_text(encoding="utf-8")
    assert written == tones_table.page()
    assert set(tones_table.COMPARED) == {tones_table.best_rate(kind) for kind in tones_table.TUNED}
    for columns in (tones_table.READINGS, tones_table.CURED, tones_table.AT_BOTH_RATES):
        assert len(tones_table.table(columns).splitlines()) == 1 + len(tones_table.TESTS)


def test_the_textbooks_row_can_be_made_again(tmp_path):
    tones_table.run_textbook(PARTS, tmp_path)
    kept = [one for one in tones_table.read_log() if one["kind"].startswith("textbook")]
    assert tones_table.read_log(tmp_path) == kept
