"""Wrong ways of rotations.

A module may turn without calling the function: what goes wrong there shows in both.
"""

from autograder.checks.positional_encoding import apply_rotary, rotary_attention
from autograder.mistakes.positional_encoding.tables import (
    BASE,
    FLOAT64,
    FROM_PAIR_ONE,
    NO_LOGARITHM,
    ONE_SPEED,
    SLOW_FIRST,
)
from autograder.probing.mistake import edit

# Queries and keys are turned by the same code, and a dot product does not see what is done to both sides alike: another
# order of the features, another start of counting. Such mistakes are of `apply_rotary` only.

COLUMN = "positions.unsqueeze(-1)"
R_ANGLE, R_EXPONENT = "positions.unsqueeze(-1) / base ** (two_i / d_head)", "(two_i / d_head)"
SPEED = "torch.exp(-torch.tensor(base).log() * two_i / d_head)"
COS_AND_SIN = "cos, sin = torch.cos(angle), torch.sin(angle)"
PAIRS = "first, second = x[..., 0::2], x[..., 1::2]"
NEW_FIRST, NEW_SECOND = "first * cos - second * sin", "first * sin + second * cos"
TURN = f"turned = torch.stack(({NEW_FIRST}, {NEW_SECOND}), dim=-1)"
FLAT, TURN_BEGINS = "turned.flatten(-2)", "turned = torch.stack(("
PAIRS_OF_HALVES, FLAT_AS_HALVES = "first, second = x.chunk(2, dim=-1)", "torch.cat(turned.unbind(-1), dim=-1)"

apply_rotary.mistake(
    "half-split pairs",
    "Your pairs are feature i and feature i + d_head / 2. That is another convention, and it is not wrong: GPT-NeoX and the Llama of Hugging Face's library pair the two halves in this way, and a model trained with it works as well. The paper, Meta's own Llama and this course pair neighbours, 2i "
    "and 2i+1. A trained model needs the convention that it was trained with; from one to the other the rows of `q_proj` and `k_proj` have to be reordered.",
    {PAIRS: PAIRS_OF_HALVES, FLAT: FLAT_AS_HALVES},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "neighbours and halves mixed",
    "Two conventions are mixed. In one place neighbours (2i and 2i+1) form a pair, in another place halves (i and i + d_head / 2). Take `x[..., 0::2]` "
    "and `x[..., 1::2]` apart and put the two back in turn: stack them along a new last dimension and flatten. `torch.cat` puts halves side by side.",
    edit({FLAT: FLAT_AS_HALVES}, of=[apply_rotary]),
    edit({PAIRS: PAIRS_OF_HALVES}, of=[apply_rotary]),
    # Cosines and sines are laid out over all features, and picked apart again for each pair.
    {
        COS_AND_SIN: "cos, sin = (torch.cat((torch.cos(angle), torch.cos(angle)), dim=-1), torch.cat((torch.sin(angle), torch.sin(angle)), dim=-1))",
        NEW_FIRST: "first * cos[..., 0::2] - second * sin[..., 0::2]",
        NEW_SECOND: "first * sin[..., 1::2] + second * cos[..., 1::2]",
    },
    {
        COS_AND_SIN: "cos, sin = (torch.cos(angle).repeat_interleave(2, dim=-1), torch.sin(angle).repeat_interleave(2, dim=-1))",
        NEW_FIRST: "first * cos[..., : d_head // 2] - second * sin[..., : d_head // 2]",
        NEW_SECOND: "first * sin[..., d_head // 2 :] + second * cos[..., d_head // 2 :]",
        PAIRS: PAIRS_OF_HALVES,
        FLAT: FLAT_AS_HALVES,
    },
    # Neighbours are taken, and laid out as halves before they are added.
    *(
        {
            TURN: f"full_cos, full_sin = {full.format('cos')}, {full.format('sin')}\n"
            "    turned = x * full_cos + torch.cat((-second, first), dim=-1) * full_sin",
            FLAT: "turned",
        }
        for full in ("{}.repeat_interleave(2, dim=-1)", "{0}.repeat(1, 2)")
    ),
    # (x2, -x1) and so on: the neighbours of a pair taken from the two halves.
    {
        TURN: "full_cos, full_sin = cos.repeat_interleave(2, dim=-1), sin.repeat_interleave(2, dim=-1)\n"
        "    a, b = x.chunk(2, dim=-1)\n    turned = x * full_cos + torch.cat((-b, a), dim=-1) * full_sin",
        FLAT: "turned",
    },
    {
        TURN: "full_cos, full_sin = torch.cat((cos, cos), dim=-1), torch.cat((sin, sin), dim=-1)\n"
        "    turned = x * full_cos + torch.stack((-second, first), dim=-1).flatten(-2) * full_sin",
        FLAT: "turned",
    },
    also=[rotary_attention],
)

apply_rotary.mistake(
    "turned the other way round",
    "You turn in the opposite direction. From the first axis to the second, a point (first, second) goes to (first · cos - second · sin, first · sin + "
    "second · cos); your minus is in the other line. Scores depend on distance either way, but weights that were trained with one direction do not fit the "
    "other.",
    {NEW_FIRST: "first * cos + second * sin", NEW_SECOND: "second * cos - first * sin"},
    # At the sine, so that it goes together with a slip in the two lines.
    edit({"torch.sin(angle)": "-torch.sin(angle)"}, of=[apply_rotary]),
    also=[rotary_attention],
)

apply_rotary.mistake(
    "a minus missing",
    "A minus is missing. With (first · cos + second · sin, first · sin + second · cos) nothing is turned: lengths change, and scores depend on the places and not on the distance alone. The new first coordinate is first · cos minus second · sin.",
    {NEW_FIRST: "first * cos + second * sin"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "a minus in the wrong place",
    "The pairs are mirrored, not turned. The minus stands at the cosine; it belongs to the sine of the first line: (first · cos - second · sin, first · sin + second · cos).",
    {NEW_FIRST: "first * cos + second * sin", NEW_SECOND: "first * sin - second * cos"},
)

apply_rotary.mistake(
    "a minus too many",
    "There is a minus too many. Only the sine of the first line has a minus: (first · cos - second · sin, first · sin + second · cos). In your code lengths change, and scores depend on more than distance.",
    {NEW_SECOND: "first * -sin + second * cos"},
    {NEW_SECOND: "first * sin - second * cos"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "coordinates exchanged",
    "The two coordinates of every pair have changed places. The first of a pair becomes first · cos - second · sin, the second first · sin + second · cos; yours come back in the other order.",
    {NEW_FIRST: NEW_SECOND, NEW_SECOND: NEW_FIRST},
    edit(
        {PAIRS: "second, first = x[..., 0::2], x[..., 1::2]"},
        says="The two coordinates of every pair have changed places. The first stands in the even features, `x[..., 0::2]`, the second in the odd "
        "features; you have exchanged them.",
    ),
)

apply_rotary.mistake(
    "input overwritten",
    "You write the turned features into the `x` that was passed in. The caller still needs `x` as it was, and autograd refuses such writing for tensors that need a gradient. `x[..., 0::2] = ...` does this: write into a tensor of your own, `torch.empty_like(x)`, or stack and flatten.",
    {f"return {FLAT}": f"return x.copy_({FLAT})"},
)

apply_rotary.mistake(
    "the new first used for the second",
    "The second coordinate is computed from the new first one. Both lines of a turn need the old pair: give the new first coordinate another name, or compute both before you store one.",
    {TURN: f"first = {NEW_FIRST}\n    turned = torch.stack((first, {NEW_SECOND}), dim=-1)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "degrees",
    "The angle is taken in degrees. `torch.sin` and `torch.cos` expect radians, and the formula is in radians: at position 1, the first pair is turned by 1, which is 57 degrees. Use the angle as it is.",
    {R_ANGLE: f"torch.deg2rad({R_ANGLE})"},
    {COLUMN: f"torch.deg2rad({COLUMN})"},
    {R_ANGLE: f"torch.rad2deg({R_ANGLE})"},
    {R_ANGLE: f"torch.rad2deg({COLUMN} * {SPEED})"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "angles times 2π",
    "The angle is multiplied by 2π. The formula counts in radians, not in full turns; with 2π, the first pair comes back to where it was at every position.",
    {R_ANGLE: f"6.283185307179586 * {R_ANGLE}"},
    edit({COLUMN: f"(6.283185307179586 * {COLUMN}.float())"}, of=[apply_rotary]),
    also=[rotary_attention],
)

apply_rotary.mistake(
    "base ignored",
    "The base is not used. You take a fixed number, whatever is passed. Models for long texts use a larger base (Llama 3 has 500000), so it is an argument: `base ** (2i / d_head)`.",
    {"/ base **": "/ 10000.0 **"},
)

apply_rotary.mistake(
    "another base than 10000",
    BASE,
    edit({"base: float = 10000.0": "base: float = 1000.0"}, of=[rotary_attention]),
    {"base: float = 10000.0": "base: float = 1000.0"},
)

apply_rotary.mistake(
    "positions ignored",
    "`positions` is not used. Your tokens stand at 0, 1, 2, ... whatever was passed. A decoder with a cache passes only the position of the new token, and padding may leave gaps: take the angles from `positions`.",
    {COLUMN: "torch.arange(x.size(-2)).unsqueeze(-1)"},
)

apply_rotary.mistake(
    "exponent doubled",
    "The exponent is twice what it should be. `torch.arange(0, d_head, 2)` counts 0, 2, 4, ...: that is 2i already, and there is another 2 in your exponent. Your slow features become far too slow, down to one turn in 10000² steps. Much published code has this mistake.",
    {R_EXPONENT: "(2 * two_i / d_head)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "exponent halved",
    "The exponent is half of what it should be. It is 2i / d_head, with i counting the pairs; you take i / d_head, so the slowest pair turns about as fast as a pair in the middle should. Count 0, 2, 4, ... or multiply by 2. (A base of 100 comes to the same: is it 10000?)",
    {R_EXPONENT: "(two_i / 2 / d_head)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "multiplied by the power",
    "You multiply by the power of the base where you should divide. The pairs then turn faster and faster instead of slower. If you use `exp`, its exponent needs a minus.",
    {f"{COLUMN} / base": f"{COLUMN} * base"},
    # The angles are so large that float32 tells one way of computing them from another.
    {R_ANGLE: f"{COLUMN} * (base ** (two_i.double() / d_head)).to(x.dtype)"},
    {R_ANGLE: f"{COLUMN} * torch.exp(two_i * (torch.tensor(base).double().log().item() / d_head))"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "one frequency for all pairs",
    ONE_SPEED,
    {R_ANGLE: f"{COLUMN} / torch.ones(len(two_i))"},
    {R_EXPONENT: "(0 * two_i + 1)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "a product instead of a power",
    "You multiply by the base where it should be raised to a power. base · 2i / d is 0 for the first pair, and a position divided by 0 has no sine: its columns are NaN. In Python, a power is written `**`.",
    {R_ANGLE: f"{COLUMN} / (base * (two_i / d_head))"},
)

apply_rotary.mistake(
    "exponent without brackets",
    "Your exponent is 2i; it should be 2i / d_head. `base ** two_i / d_head` takes the power first and divides afterwards. All pairs but the first stand still. Put the quotient into brackets. (`exp` without the logarithm of 10000 comes to nearly the same.)",
    {R_ANGLE: f"{COLUMN} / (base**two_i / d_head)"},
    {R_ANGLE: f"{COLUMN} / base**two_i / d_head"},
    {R_ANGLE: f"{COLUMN} / base**two_i"},
    # Hardly anything is turned: in an attention, nothing.
    edit({R_ANGLE: f"{COLUMN} / base**2 * two_i / 2 / d_head"}, of=[apply_rotary]),
    also=[rotary_attention],
)

apply_rotary.mistake(
    "slow pairs first",
    SLOW_FIRST,
    {R_EXPONENT: "(1 - two_i / d_head)"},
    {"torch.arange(0, d_head, 2, device=x.device)": "torch.arange(d_head - 2, -1, -2)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "exp without the logarithm",
    NO_LOGARITHM.replace("10000", "base"),
    {R_ANGLE: f"{COLUMN} * torch.exp(-two_i / d_head)"},
)

apply_rotary.mistake(
    "sine and cosine exchanged",
    "Sine and cosine have changed places. Position 0 has the angle 0, whose cosine is 1: there a vector should stay as it is, and yours is turned by a quarter. It is first · cos - second · sin, and first · sin + second · cos.",
    {"cos, sin = torch.cos(angle), torch.sin(angle)": "cos, sin = torch.sin(angle), torch.cos(angle)"},
)

apply_rotary.mistake(
    "nothing turned",
    "Nothing is turned. The vectors come back as they were, so attention would not know where a token stands. Is what you have computed also what you return?",
    {f"return {FLAT}": "return x.clone()"},
)

apply_rotary.mistake(
    "only one coordinate turned",
    "Only one of the two coordinates is computed anew. The other stays as it was, and the point leaves its circle. Both lines are needed: first · cos - second · sin, and first · sin + second · cos.",
    {NEW_SECOND: "second"},
    {NEW_FIRST: "first"},
)

apply_rotary.mistake(
    "pairs in a dimension of their own",
    "Each pair stands in a dimension of its own. Your result is (..., seq_len, d_head / 2, 2), and attention takes (..., seq_len, d_head). `flatten(-2)` puts the two coordinates next to each other.",
    {f"return {FLAT}": "return turned"},
)

apply_rotary.mistake(
    "cut off from the gradient",
    "No gradient reaches `x`. Something cuts it off (`detach`, `.data`, `no_grad`, a tensor made anew from numbers), so `q_proj` and `k_proj` would never learn. Compute with `x` itself.",
    {f"return {FLAT}": f"return {FLAT}.detach()"},
)

apply_rotary.mistake(
    "one position for all tokens",
    "All tokens are turned by the same position. Their scores are then those without any turning, and the order is lost. Each token has its own number in `positions`.",
    {COLUMN: "positions[:1].unsqueeze(-1)"},
    {COLUMN: "positions[-1:].unsqueeze(-1)"},
    {COLUMN: "torch.full_like(positions, len(positions)).unsqueeze(-1)"},
)

apply_rotary.mistake(
    "positions counted from the first token",
    "Positions are counted from the first token. You subtract its position from all of them, so a token that comes alone always stands at 0. Scores between tokens of one call do not show it, but the cache of lesson 11 passes one new token at a time: take `positions` as they are.",
    {COLUMN: "(positions - positions[0]).unsqueeze(-1)"},
    {COLUMN: "(positions - positions.min()).unsqueeze(-1)"},
)

apply_rotary.mistake(
    "minus of a position lost",
    "A negative position loses its minus. It is turned as far, but the wrong way round. Positions are any whole numbers, negative ones too: take them as they are.",
    {COLUMN: "positions.abs().unsqueeze(-1)"},
    edit(
        {COLUMN: "positions.clamp(min=0).unsqueeze(-1)"},
        says="A negative position is taken for 0. Positions are any whole numbers, negative ones too: take them as they are.",
    ),
)

apply_rotary.mistake(
    "positions divided by 10000 twice",
    "The positions are divided by the base twice, once directly and once by the power. All angles are then close to 0, and hardly anything is turned. Do not scale the position itself: p / base^(2i / d_head).",
    {COLUMN: f"({COLUMN} / 10000)"},
    {f"{COLUMN} / base": f"{COLUMN} / base / base"},
)

apply_rotary.mistake(
    "the quotient raised to the power",
    "You divide the position by the base first and raise the quotient to the power. The power belongs to the base alone: p / base^(2i / d_head). Where did the brackets go?",
    {R_ANGLE: f"({COLUMN} / base) ** (two_i / d_head)"},
)

apply_rotary.mistake(
    "an exponent of its own for each feature",
    "The two features of a pair have different exponents. Both coordinates of a point are turned by one angle, that of exponent 2i / d_head; with two angles, lengths change. If your exponents run over all features j, take 2 · (j // 2) / d_head.",
    *(
        {
            R_EXPONENT: f"({factor}two_i / d_head)",
            NEW_SECOND: "first * torch.sin(other) + second * torch.cos(other)",
            TURN_BEGINS: f"other = {COLUMN} / base ** ({factor}(two_i + 1) / d_head)\n    {TURN_BEGINS}",
        }
        for factor in ("", "2 * ")
    ),
    # Made of the angle, so that it goes together with a slip in that.
    edit(
        {
            NEW_SECOND: "first * torch.sin(other) + second * torch.cos(other)",
            TURN_BEGINS: f"other = angle / base ** (1 / d_head)\n    {TURN_BEGINS}",
        },
        of=[apply_rotary],
    ),
    also=[rotary_attention],
)

apply_rotary.mistake(
    "logarithm to the base 10",
    "You take the logarithm to the base 10, and `exp` is not its inverse. Take the natural logarithm, `math.log`; or write the power as it stands in the formula, `base ** (2i / d_head)`.",
    {R_ANGLE: f"{COLUMN} * torch.exp(-torch.tensor(base).log10() * two_i / d_head)"},
    edit(
        {R_ANGLE: f"{COLUMN} * torch.exp(-torch.tensor(base).log2() * two_i / d_head)"},
        says="You take the logarithm to the base 2, and `exp` is not its inverse. Take the natural logarithm, `math.log`; or write the power as it stands in the formula, `base ** (2i / d_head)`.",
    ),
)

apply_rotary.mistake(
    "pairs counted from 1", FROM_PAIR_ONE, {R_EXPONENT: "((two_i + 2) / d_head)"}, also=[rotary_attention]
)

apply_rotary.mistake(
    "frequencies up to the end",
    "Your frequencies reach the end: the slowest pair has exactly 1 / base. By the paper's formula the exponent is 2i / d_head, so the slowest pair stays a little faster. Divide by d_head, not by a number that makes the last exponent 1.",
    {R_EXPONENT: "(two_i / max(d_head - 2, 1))"},
)

apply_rotary.mistake(
    "exponent over d_head - 1",
    "The exponent is divided by d_head - 1. The formula divides 2i by d_head. Take the number of features as it is.",
    {R_EXPONENT: "(two_i / (d_head - 1))"},
)

apply_rotary.mistake(
    "positions in the wrong order",
    "The positions are taken in reverse. The first token is turned by the last position, and so on. Take `positions` in their own order.",
    {COLUMN: "positions.flip(0).unsqueeze(-1)"},
)

apply_rotary.mistake("float64 comes back", FLOAT64, {R_ANGLE: R_ANGLE.replace("positions", "positions.double()")})

apply_rotary.mistake(
    "counted from 1",
    "Every token is turned one step too far. A token at position 0 has to stay as it is: use `positions` without adding anything. (Scores do not show it, as both sides are off by the same step.)",
    {COLUMN: f"({COLUMN} + 1)"},
)

apply_rotary.mistake(
    "turned along the wrong dimension",
    "You turn along the wrong dimension. The tokens stand in the last dimension but one; your angles change along the dimension before it, from head to head. Code for (batch, seq_len, num_heads, d_head) has the angles so; here the heads are in front of the tokens, and angles of shape (seq_len, "
    "d_head / 2) fit without a dimension in between.",
    {R_ANGLE: f"({R_ANGLE}).unsqueeze(1)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "added instead of turned",
    "You add sines and cosines instead of turning. That is the table of `sinusoidal_encoding`. Here the features of x themselves are multiplied: each pair is a point, and it is turned.",
    {NEW_FIRST: "first + sin", NEW_SECOND: "second + cos"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "features not mixed within their pair",
    "The features are multiplied by sines and cosines, and no pair is turned. To turn a pair, the first coordinate gets a share of the second, and the second a share of the first.",
    {NEW_FIRST: "first * cos", NEW_SECOND: "second * cos"},
    {NEW_FIRST: "first * sin", NEW_SECOND: "second * cos"},
    {NEW_FIRST: "first * cos", NEW_SECOND: "second * sin"},
    {NEW_FIRST: "first * cos - first * sin", NEW_SECOND: "second * cos + second * sin"},
    {NEW_FIRST: "first * cos + first * sin", NEW_SECOND: "second * cos + second * sin"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "fits one number of dimensions",
    "Your code works for only one number of dimensions. Any dimensions may stand in front of tokens and features: none, the batch, batch and heads. Count from the end, `x.size(-1)`, and take the features by `x[..., 0::2]`.",
    {"d_head = x.size(-1)": "_, _, _, d_head = x.shape"},
    {"d_head = x.size(-1)": "_, _, d_head = x.shape"},
    {"d_head = x.size(-1)": "_, d_head = x.shape"},
)

apply_rotary.mistake(
    "x added to the turned vectors",
    "The vectors as they were are added to the turned ones. Sinusoids are added to the tokens; a turned vector stands in the place of x, and is as long as x was.",
    {f"return {FLAT}": f"return x + {FLAT}"},
)

apply_rotary.mistake(
    "odd width accepted",
    "An odd width is not refused. Features are turned in pairs, and of 5 features one would be left alone. Who asks for that should get an error that says so: keep the `raise ValueError` that was given.",
    {"if d_head % 2 != 0:": "if False:"},
    {"if d_head % 2 != 0:": "if False:", PAIRS: "first, second = x[..., two_i], x[..., two_i + 1]"},
    {
        "if d_head % 2 != 0:": "if False:",
        "torch.arange(0, d_head, 2, device=x.device)": "torch.arange(0, d_head - 1, 2)",
        PAIRS: "first, second = x[..., : d_head // 2 * 2 : 2], x[..., 1::2]",
    },
    {
        "if d_head % 2 != 0:": "if False:",
        "torch.arange(0, d_head, 2, device=x.device)": "torch.arange(0, d_head - 1, 2)",
        PAIRS: "first, second = x[..., : d_head // 2 * 2 : 2], x[..., 1::2]",
        FLAT: "torch.cat([turned.flatten(-2), x[..., d_head // 2 * 2 :]], dim=-1)",
    },
)
