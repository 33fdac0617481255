"""The tone pad: what is dialled is heard, shown and written, and the sound in the page is the sound that was heard."""

import base64
import io
import wave

import numpy as np
import pytest
import torch

from autograder.stand_ins.hearing import log_spectrogram
from course import goertzel
from course.tones import HOP, KEYS, SIZE
from course.widgets import TonePad
from tests.widgets.parts import look


def pad(**settings):
    return TonePad(look, log_spectrogram, **settings)


def sent(packed):
    return np.frombuffer(packed["data"], "<f4").reshape(packed["shape"])


def test_it_shows_what_the_learners_functions_gave():
    shown = pad(keys="47A", noise=0.3)
    expected = log_spectrogram(shown.sound.signal, SIZE, HOP).numpy()
    assert np.allclose(sent(shown.data["spectrogram"]), expected.T[::-1], atol=1e-5)
    assert np.array_equal(sent(shown.data["weights"]), look(shown.sound)[0].numpy())
    assert shown.data["hertz"][0] == "2000" and shown.data["hertz"][-1] == "0"
    assert shown.caption == "Dialled 47A in noise of 0.30; written: the same." and shown.problems == []


def test_dialling_and_noise_change_everything():
    shown = pad(keys="1", noise=0.0)
    before = shown.data
    shown.dialled = "159D"
    assert shown.sound.keys == "159D" and shown.data["sound"] != before["sound"]
    quiet = sent(shown.data["spectrogram"])
    shown.noise = 2.0
    assert sent(shown.data["spectrogram"]).mean() > quiet.mean() + 1
    shown.dialled = ""
    assert shown.data["spectrogram"] is None and shown.caption == "Nothing is dialled."


@pytest.mark.parametrize("keys", [KEYS[:8], KEYS[8:], "5555", "*0#D"])
def test_the_sound_in_the_page_is_decoded_by_the_textbook(keys):
    shown = pad(keys=keys, noise=0.0)
    with wave.open(io.BytesIO(base64.b64decode(shown.data["sound"]))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 8000)
        played = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    signal = torch.from_numpy(played[::2].astype(np.float32) / 32767)
    frames = 1 + (len(signal) - SIZE) // HOP
    assert goertzel.decode(signal[None], torch.ones(1, frames, dtype=torch.bool)) == [keys]


def test_trouble_is_said_and_nothing_raises():
    def unwritten(*_):
        raise NotImplementedError

    assert "`unwritten` is not written yet." in TonePad(look, unwritten).problems
    assert "raised ZeroDivisionError" in TonePad(lambda sound: 1 / 0, log_spectrogram).problems[0]
    assert "give one for each row" in TonePad(lambda sound: (torch.ones(2, 3), ["a"]), log_spectrogram).problems[0]
    assert "has to give weights" in TonePad(lambda sound: None, log_spectrogram).problems[0]
    half = TonePad(lambda sound: (look(sound)[0] / 2, list(sound.keys)), log_spectrogram)
    assert half.problems == ["For “2” 0.50 is read in all, not 1."]


@pytest.mark.parametrize(
    "settings", [{"keys": "12x"}, {"keys": "1" * 13}, {"noise": -0.1}, {"noise": 3.5}], ids=lambda one: str(one)
)
def test_bad_input_is_refused(settings):
    with pytest.raises(ValueError, match="give"):
        pad(**settings)


def test_the_picture_has_words():
    shown = pad(keys="25", noise=0.5)
    assert shown.plot().png().startswith(b"\x89PNG")
    assert "Dialled 25" in shown.alt and "The largest weight of each: 2 at" in shown.alt
