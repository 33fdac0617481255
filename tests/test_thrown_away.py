"""What a report says of a result that nothing keeps."""

import pytest

from autograder.reporting.thrown_away import LONGEST, thrown_away


def function(*lines: str) -> str:
    return "\n    ".join(("def f(x, mask, dropout):", *lines, "return x"))


def method(*lines: str) -> str:
    return "\n        ".join(("class A(nn.Module):\n    def forward(self, x):", *lines, "return x"))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (function("x.masked_fill(~mask, -1)"), "`x = x.masked_fill(~mask, -1)`"),
        (function("torch.relu(x)"), "`x = torch.relu(x)`"),
        (function("F.softmax(x, dim=-1)"), "`softmax` gives back something new"),
        (function("made = x + 1", "dropout(made)"), "`made = dropout(made)`"),
        (method("self.dropout(x)"), "`x = self.dropout(x)`"),
        (method("for layer in self.layers:", "    layer(x)"), "`x = layer(x)`"),
        (function("x.transpose(1, 2).contiguous()"), "`contiguous` gives back something new"),
        (function("x.to(torch.float32)"), "`x = x.to(torch.float32)`"),
    ],
)
def test_a_result_that_nothing_keeps_is_told(code: str, said: str) -> None:
    told = thrown_away(code)
    assert told is not None and said in told.text


@pytest.mark.parametrize(
    "code",
    [
        function("x.masked_fill_(mask, 0)"),
        function("found = []", "found.append(x)", "print(x)"),
        function("seen = set()", "seen.add(1)", "x.sort()"),
        method("self._keep(x)") + "\n    def _keep(self, x):\n        self.x = x",
        method("self.register_buffer('t', None)"),
        function("torch.manual_seed(0)", "x.sum().backward()", "F.relu(x, inplace=True)"),
        "def f(model: nn.Module):\n    model.to(torch.bfloat16)",
        "def f(run, clock):\n    start = clock()\n    run()\n    return clock() - start",
        "def f(change: Callable[[GPT], None]):\n    change(model)",
        function("model.half()", "model.load_state_dict(x)"),
        method("self.layer.double()", "x = self.layer(x)"),
        "def f(x:\n",
        "x = " + "(" * 500 + ")" * 500,
        "x = 1\n" * LONGEST,
    ],
)
def test_what_acts_or_cannot_be_read_is_not(code: str) -> None:
    assert thrown_away(code) is None
