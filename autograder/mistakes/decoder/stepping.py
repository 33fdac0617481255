"""The three steps of a decoder layer: their order, what is added and normalized, what is dropped."""

import itertools
from collections.abc import Mapping

from autograder.checks.decoder import decoder_layer
from autograder.mistakes.decoder.places import (
    BEGIN,
    CROSS,
    FIRST,
    LAYER_FORWARD,
    LAYER_INIT,
    NORM1,
    NORM2,
    NORM3,
    NORMS,
    POST_LINE,
    PRE_LINE,
    SECOND,
    SELF,
    STEPS,
    THIRD,
    TURNED_WEIGHTS,
    WEIGHTS,
)
from autograder.probing.mistake import Way, edit

NOTHING: Mapping[str, str] = {}
# Laid round `add_norm`, so that of two slips in one step each can have a form of its own.
STEP = "(lambda add: lambda x, f, norm, dropout, pre: {})(add_norm)"
USUAL = "add(x, f, norm, dropout, pre)"
RIGHT_PRE, RIGHT_POST = "x + dropout(f(norm(x)))", "norm(x + dropout(f(x)))"


def in_step(step: str, pre: str = USUAL, post: str = USUAL) -> dict[str, str]:
    """The edit of a step that is done by hand instead of by `add_norm`, in pre-norm and in post-norm."""
    return {step: step.replace("add_norm", STEP.format(f"{pre} if pre else {post}"))}


def in_forms(step: str, *, pre: str, post: str, given: Mapping[str, str] = NOTHING) -> list[Way]:
    """The same slip in a step of both forms of the layer, and of one alone: who writes the two apart can slip in one.

    Args:
        step: the call of `add_norm` that is done by hand.
        pre, post: what the two forms compute there.
        given: what else is edited.
    """
    forms: tuple[dict[str, str], ...] = ({"pre": pre, "post": post}, {"post": post}, {"pre": pre})
    return [edit({**given, **in_step(step, **one)}, inside=LAYER_FORWARD) for one in forms]


FORMS = ("pre", "post")


def in_form(swaps: Mapping[str, str], form: str) -> dict[str, str]:
    """Other words in one form of the layer alone, "pre" or "post"."""
    return {
        right: f"({wrong} if self.norm_first else {right})"
        if form == "pre"
        else f"({right} if self.norm_first else {wrong})"
        for right, wrong in swaps.items()
    }


# Norm and dropout are edited where they are handed over, which goes together with whatever is done in the step.
IDLE = "(lambda h: h)"
TWO_NORMS = tuple(itertools.combinations(NORMS, 2))


def with_dropout(norm: str, dropout: str) -> dict[str, str]:
    """Another dropout in the step of this norm."""
    return {f"{norm}, self.dropout": f"{norm}, {dropout}"}


def dropout_in_form(dropout: str, form: str) -> str:
    """Another dropout in one form of the layer alone."""
    return in_form({"self.dropout": dropout}, form)["self.dropout"]


def in_all(dropout: str) -> dict[str, str]:
    """Another dropout in all three steps."""
    return {old: new for norm in NORMS for old, new in with_dropout(norm, dropout).items()}


TWO_STEPS = tuple(itertools.combinations(STEPS, 2))


def in_two(**forms: str) -> list[Way]:
    """The same slip in two of the three steps, in the form or forms that are given: `pre`, `post`."""
    alone: tuple[dict[str, str], ...] = tuple({form: made} for form, made in forms.items())
    told = (forms, *alone) if len(alone) > 1 else alone
    return [
        edit(in_step(one, **made) | in_step(other, **made), inside=LAYER_FORWARD)
        for one, other in TWO_STEPS
        for made in told
    ]


# The order of the steps ----------------------------------------------------------------------------

WITH_THEIR_NORMS = {f"{FIRST}, {NORM1}": f"{SECOND}, {NORM2}", f"{SECOND}, {NORM2}": f"{FIRST}, {NORM1}"}
SOURCE_FIRST_THROUGHOUT = (
    "The source is read before the target has read itself, and the weights come back in that order too. Self-attention is the first step, cross-attention the second: a token should first know what has been written, so that it "
    "can ask the source for what comes next. The weights follow: `(self_weights, cross_weights)`."
)


def twice(step: str) -> dict[str, str]:
    """The edit of a step whose line stands there twice."""
    line = f"x = {step}, {dict(zip(STEPS, NORMS, strict=True))[step]}"
    return {line: f"{line}, self.dropout, self.norm_first); {line}"}


decoder_layer.mistake(
    "cross-attention before self-attention",
    "The source is read before the target has read itself. A token should first know what has been written, so that it can ask the source for what comes next. Self-attention is the first step, cross-attention the "
    "second.",
    edit(WITH_THEIR_NORMS | {WEIGHTS: TURNED_WEIGHTS}, inside=LAYER_FORWARD),
    # The norms stay where they were.
    edit({FIRST: SECOND, SECOND: FIRST, WEIGHTS: TURNED_WEIGHTS}, inside=LAYER_FORWARD),
    # The weights come back in the order of the steps.
    *(
        edit(swaps, inside=LAYER_FORWARD, says=SOURCE_FIRST_THROUGHOUT)
        for swaps in (WITH_THEIR_NORMS, {FIRST: SECOND, SECOND: FIRST})
    ),
)
decoder_layer.mistake(
    "feed-forward network before cross-attention",
    "The feed-forward network runs before the source has been read. What the cross-attention brings is then passed on as it is. The network is the last of the three steps, when a token has heard all it is going to "
    "hear.",
    edit(
        {f"{SECOND}, {NORM2}": f"{THIRD}, {NORM3}", f"{THIRD}, {NORM3}": f"{SECOND}, {NORM2}"},
        inside=LAYER_FORWARD,
    ),
    # The norms stay where they were.
    edit({SECOND: THIRD, THIRD: SECOND}, inside=LAYER_FORWARD),
    # It is the first step.
    edit({FIRST: THIRD, SECOND: FIRST, THIRD: SECOND}, inside=LAYER_FORWARD),
    edit(
        {
            f"{FIRST}, {NORM1}": f"{THIRD}, {NORM3}",
            f"{SECOND}, {NORM2}": f"{FIRST}, {NORM1}",
            f"{THIRD}, {NORM3}": f"{SECOND}, {NORM2}",
        },
        inside=LAYER_FORWARD,
    ),
)
decoder_layer.mistake(
    "the same attention in both steps",
    "The source is read in both steps, and the self-attention never runs. So the target's tokens never see each other: the model cannot know what it has already written. The first step is the self-attention, with `norm1`.",
    edit({FIRST: SECOND}, inside=LAYER_FORWARD),
    edit(
        {SECOND: FIRST},
        inside=LAYER_FORWARD,
        says="The self-attention runs in both steps, and the source is never read. So nothing of the source reaches the decoder, and it can only guess. The second step is the cross-attention, with `norm2`.",
    ),
)
decoder_layer.mistake(
    "a step runs twice",
    "One of the three steps runs twice. What it makes is added a second time, with the same parameters. Each step has one line; look for a line that was copied and not changed.",
    *(edit(twice(step), inside=LAYER_FORWARD) for step in STEPS),
    # Whoever keeps the weights by name has those of the later run.
    *(
        edit(twice(step) | {WEIGHTS: f"(kept[{first}], kept[2])"}, inside=LAYER_FORWARD)
        for step, first in ((FIRST, 1), (FIRST, 0), (SECOND, 0))
    ),
)
decoder_layer.mistake(
    "a step is lost",
    "One of the three steps has no part in the result, or two of them. A step is missing, or what it made is lost: `add_norm` returns the new tokens and leaves `x` as it was, so each call has to be kept, `x = add_norm(x, ...)`. "
    "Count the steps whose result the next one really starts from.",
    *(edit({f"x = {step}": step}, inside=LAYER_FORWARD) for step in STEPS),
    *(
        edit({f"x = {one}": one, f"x = {other}": other}, inside=LAYER_FORWARD)
        for one, other in itertools.combinations(STEPS, 2)
    ),
    *(edit({f"x = {step}": f"x = x if True else {step}"}, inside=LAYER_FORWARD) for step in (FIRST, SECOND)),
    *(
        edit(in_step(step, **one), inside=LAYER_FORWARD)
        for step in STEPS
        for one in ({"pre": "(f(norm(x)), x)[1]"}, {"post": "(f(x), x)[1]"})
    ),
    edit({BEGIN: f"{BEGIN}; given = x", THIRD: "add_norm(given, self.feed_forward"}, inside=LAYER_FORWARD),
)

decoder_layer.mistake(
    "steps side by side",
    "The steps stand side by side. Each starts from the tokens that came into the layer, and what they give is summed: no step hears what another has found. The second step starts from what the first "
    "gives, the third from what the second gives.",
    edit(
        {
            f"x = {FIRST}": f"first = {FIRST}",
            f"x = {SECOND}": f"second = {SECOND}",
            f"x = {THIRD}": f"x = first + second + {THIRD}",
        },
        inside=LAYER_FORWARD,
    ),
    edit(
        {
            f"x = {FIRST}": f"first = {FIRST}",
            f"x = {SECOND}": f"second = {SECOND}",
            f"x = {THIRD}": f"x = (first + second + {THIRD}",
        }
        | {f"{NORM3}, self.dropout, self.norm_first)": f"{NORM3}, self.dropout, self.norm_first)) / 3"},
        inside=LAYER_FORWARD,
        says="The steps stand side by side. Each starts from the tokens that came into the layer, and the mean of what they give comes out: no step hears what another has found. The second step starts from what the first "
        "gives, the third from what the second gives.",
    ),
    edit(
        {f"x = {FIRST}": f"first = {FIRST}", f"x = {SECOND}": f"x = first + {SECOND}"},
        inside=LAYER_FORWARD,
        says="The two attentions stand side by side. Both start from the tokens that came into the layer, and what they give is summed: who asks the source does not know what is written so far. The second step starts "
        "from what the first gives.",
    ),
)

ADDS_ITSELF = "(lambda add: lambda x, made, *rest: add(x, lambda h: h + made(h), *rest))(add_norm)"
AROUND = {step: f"x + {step}" for step in STEPS}
WITHIN = {step: step.replace("add_norm", ADDS_ITSELF) for step in STEPS}
decoder_layer.mistake(
    "added twice",
    "The tokens are added twice. What a step made is added to them once, `x + dropout(...)`, and `add_norm` does that. Is there an `x +` around `add_norm`, or in the function that you hand to it?",
    *(edit({step: ways[step]}, inside=LAYER_FORWARD) for ways in (AROUND, WITHIN) for step in STEPS),
    edit(AROUND, inside=LAYER_FORWARD),
    edit(WITHIN, inside=LAYER_FORWARD),
    edit({FIRST: WITHIN[FIRST], SECOND: WITHIN[SECOND]}, inside=LAYER_FORWARD),
    edit({PRE_LINE: f"x + {PRE_LINE}", POST_LINE: "norm(x + x + dropout(sublayer(x)))"}, inside="add_norm"),
    *(
        edit(in_step(step, **one), inside=LAYER_FORWARD)
        for step in STEPS
        for one in (
            {"pre": f"x + {RIGHT_PRE}", "post": "norm(x + x + dropout(f(x)))"},
            {"post": "norm(x + x + dropout(f(x)))"},
        )
    ),
)
HALF_PRE, HALF_POST = "x + dropout(f(norm(x))) / 2", "norm(x + dropout(f(x)) / 2)"
decoder_layer.mistake(
    "half of what a step made",
    "Only half of what a step made is added. It is added whole, `x + dropout(...)`: how much a step has to say is learned in its own weights.",
    edit({PRE_LINE: f"{PRE_LINE} / 2", POST_LINE: "norm(x + dropout(sublayer(x)) / 2)"}, inside="add_norm"),
    *(edit(in_step(step, pre=HALF_PRE, post=HALF_POST), inside=LAYER_FORWARD) for step in STEPS),
)
decoder_layer.mistake(
    "half of the sum",
    "A sum is divided by two. What a step made is added, and the sum goes on whole: `x + dropout(...)`. Halved, what came into the layer fades with every step.",
    edit({PRE_LINE: f"({PRE_LINE}) / 2", POST_LINE: "norm((x + dropout(sublayer(x))) / 2)"}, inside="add_norm"),
    # A norm does not see that its sum is halved, but for its eps, which only the last leaves to be seen.
    *(edit(in_step(step, pre=f"({RIGHT_PRE}) / 2"), inside=LAYER_FORWARD) for step in STEPS),
    edit(in_step(THIRD, pre=f"({RIGHT_PRE}) / 2", post="norm((x + dropout(f(x))) / 2)"), inside=LAYER_FORWARD),
)

decoder_layer.mistake(
    "the memory is added to",
    "The second step adds to the memory. What the cross-attention found is added to the tokens that asked, those of the target, and there are as many of them as before: `add_norm(x, read_source, ...)`. "
    "As it stands what was written so far is gone.",
    edit({SECOND: "add_norm(memory, read_source"}, inside=LAYER_FORWARD),
    edit(
        {SECOND: "add_norm(x, lambda h: memory + read_source(h)"},
        inside=LAYER_FORWARD,
        says="The memory is added to what the cross-attention found. The memory is read, and nothing is added to it or takes it over as it is: `add_norm` adds what was found to the tokens of the target.",
    ),
)

INSIDE_ADD_NORM = (
    "A step normalizes what it reads, though `add_norm` does that. The function that you hand to it takes its argument as it is; in pre-norm what it reads is normalized already, in post-norm it is not to be. "
    "Leave the norms to `add_norm`."
)
IF_FIRST, ALWAYS = "({norm}(h) if self.norm_first else h)", "{norm}(h)"
decoder_layer.mistake(
    "normalized inside a step",
    INSIDE_ADD_NORM,
    *(
        edit(swaps, inside=LAYER_FORWARD)
        for given in (IF_FIRST, ALWAYS)
        for swaps in (
            {SELF: f"self.self_attn(*[{given.format(norm=NORM1)}] * 3"},
            {CROSS: f"self.cross_attn({given.format(norm=NORM2)}, memory, memory"},
            {THIRD: f"add_norm(x, lambda h: self.feed_forward({given.format(norm=NORM3)})"},
            {
                SELF: f"self.self_attn(*[{given.format(norm=NORM1)}] * 3",
                CROSS: f"self.cross_attn({given.format(norm=NORM2)}, memory, memory",
                THIRD: f"add_norm(x, lambda h: self.feed_forward({given.format(norm=NORM3)})",
            },
        )
    ),
)

IN_POST_TOO = "In post-norm a step reads normalized tokens. There a step reads `x` as it is, and its norm comes once, on the sum: `norm(x + dropout(...))`. Only in pre-norm does a step read `norm(x)`."
decoder_layer.mistake(
    "normalized before a step in post-norm",
    IN_POST_TOO,
    edit({POST_LINE: "norm(x + dropout(sublayer(norm(x))))"}, inside="add_norm"),
    *(edit(in_step(step, post="norm(x + dropout(f(norm(x))))"), inside=LAYER_FORWARD) for step in STEPS),
)

# Older tokens get a name before something is made of them.
KEEP_INPUT = {BEGIN: f"{BEGIN}; given = x"}
KEEP_AFTER_FIRST = {f"x = {SECOND}": f"halfway = x; x = {SECOND}"}
decoder_layer.mistake(
    "cross-attention asks with the layer's input",
    "The cross-attention asks with what came into the layer, not with what the self-attention made of it. The question to the source should be put by a token that has read what is written so far. Its query is "
    "the output of the first step.",
    *(
        edit(KEEP_INPUT | {CROSS: f"self.cross_attn({query}, memory, memory"}, inside=LAYER_FORWARD)
        for query in (
            "given",
            "self.norm2(given) if self.norm_first else given",
            "self.norm2(given) if self.norm_first else h",
            "h if self.norm_first else given",
            "given if self.norm_first else h",
            "self.norm1(given) if self.norm_first else given",
            "self.norm1(given) if self.norm_first else h",
        )
    ),
)

# Add and norm ----------------------------------------------------------------------------

LOSES = "What went in has to come out again, with something added: `x + dropout(...)`. `add_norm` does it."
LOST_PRE, LOST_POST = "dropout(f(norm(x)))", "norm(dropout(f(x)))"
decoder_layer.mistake(
    "first residual missing",
    f"The self-attention's output is not added to anything. A token forgets itself and keeps only what it read. {LOSES}",
    *in_forms(FIRST, pre=LOST_PRE, post=LOST_POST),
)
decoder_layer.mistake(
    "second residual missing",
    "The cross-attention's output is not added to anything. Each token of the target is replaced by a mixture of the source, and what was written so far is gone. "
    f"{LOSES}",
    *in_forms(SECOND, pre=LOST_PRE, post=LOST_POST),
)
decoder_layer.mistake(
    "third residual missing",
    "The feed-forward network's output is not added to anything. Two residual connections are there and the third is easily forgotten: then all that the attentions brought has to pass through the network or is "
    f"lost. {LOSES}",
    *in_forms(THIRD, pre=LOST_PRE, post=LOST_POST),
)
NONE_IN_A_FORM = (
    "In {} there are no residual connections. Each of the three steps replaces the tokens instead of adding to them. In both forms what came in is added to "
    "what the step made."
)
decoder_layer.mistake(
    "no residuals",
    "There are no residual connections. Each of the three steps replaces the tokens instead of adding to them; a deep stack of such layers hardly learns. `x + dropout(...)`, three times; `add_norm` does it.",
    edit({PRE_LINE: "dropout(sublayer(norm(x)))", POST_LINE: "norm(dropout(sublayer(x)))"}, inside="add_norm"),
    *(
        edit({one: other}, inside="add_norm", says=NONE_IN_A_FORM.format(form))
        for form, one, other in (
            ("pre-norm", PRE_LINE, "dropout(sublayer(norm(x)))"),
            ("post-norm", POST_LINE, "norm(dropout(sublayer(x)))"),
        )
    ),
)

OLDER_PRE, OLDER_POST = "x + dropout(f(norm({})))", "norm(x + dropout(f({})))"
OLDER = (("given", KEEP_INPUT), ("halfway", KEEP_AFTER_FIRST))
decoder_layer.mistake(
    "feed-forward network reads older tokens",
    "The feed-forward network reads older tokens than it should: those from before the cross-attention. What the source had to say then never reaches it. Each step reads what the one before has left.",
    *(
        way
        for name, kept in OLDER
        for way in in_forms(THIRD, pre=OLDER_PRE.format(name), post=OLDER_POST.format(name), given=kept)
    ),
    # Those that an earlier step has normalized.
    *(
        edit(kept | in_step(THIRD, pre=f"x + dropout(f({read}))"), inside=LAYER_FORWARD)
        for (name, kept), earlier in zip(OLDER, (NORM1, NORM2), strict=True)
        for read in (f"{earlier}({name})", f"norm({earlier}({name}))")
    ),
)
ADDS_NORMED = "(lambda h: h + dropout(f(h)))(norm(x))"
decoder_layer.mistake(
    "the normalized tokens are added to",
    "In pre-norm the normalized tokens are added, not the tokens. What a step reads is normalized; what it adds to stays as it is, from the bottom of the stack to the top. Keep `x`, and give the norm's result another "
    "name.",
    edit({PRE_LINE: "(lambda h: h + dropout(sublayer(h)))(norm(x))"}, inside="add_norm"),
    *(edit(in_step(step, pre=ADDS_NORMED), inside=LAYER_FORWARD) for step in STEPS),
    *in_two(pre=ADDS_NORMED),
)

OLD_PRE, OLD_POST = "{} + dropout(f(norm(x)))", "norm({} + dropout(f(x)))"
ADDS_TO_INPUT = {"pre": OLD_PRE.format("given"), "post": OLD_POST.format("given")}
decoder_layer.mistake(
    "a later step adds to older tokens",
    "A later step adds to older tokens: to what came into the layer, or into the step before. What has been added since is thrown away again. Each step adds to the result of the one before.",
    *in_forms(SECOND, **ADDS_TO_INPUT, given=KEEP_INPUT),
    *(
        way
        for name, kept in OLDER
        for way in in_forms(THIRD, pre=OLD_PRE.format(name), post=OLD_POST.format(name), given=kept)
    ),
    # In pre-norm those that the first step has normalized.
    *(
        edit(KEEP_INPUT | in_step(step, pre="self.norm1(given) + dropout(f(norm(x)))", **post), inside=LAYER_FORWARD)
        for step in (SECOND, THIRD)
        for post in (NOTHING, {"post": ADDS_TO_INPUT["post"]})
    ),
    # One `residual = x` at the top, for all three.
    edit(
        KEEP_INPUT | in_step(SECOND, **ADDS_TO_INPUT) | in_step(THIRD, **ADDS_TO_INPUT),
        inside=LAYER_FORWARD,
    ),
)
decoder_layer.mistake(
    "norm before the addition",
    "In post-norm the norm acts on what a step made, before it is added. It belongs on the sum: `norm(x + dropout(...))`. As it stands the sums grow from layer to layer and nothing brings them back.",
    edit({POST_LINE: "x + norm(dropout(sublayer(x)))"}, inside="add_norm"),
    edit({POST_LINE: "x + dropout(norm(sublayer(x)))"}, inside="add_norm"),
    *(
        edit(in_step(step, post=post), inside=LAYER_FORWARD)
        for post in ("x + norm(dropout(f(x)))", "x + dropout(norm(f(x)))")
        for step in STEPS
    ),
)

MADE_PRE, MADE_POST = (
    ("x + norm(dropout({f}(norm(x))))", "x + dropout(norm({f}(norm(x))))"),
    ("norm(x + norm(dropout({f}(x))))", "norm(x + dropout(norm({f}(x))))"),
)
decoder_layer.mistake(
    "what a step made is normalized too",
    "What a step made is normalized before it is added. A step has one norm and one place for it: in post-norm the sum, in pre-norm what the step reads. Here the norm acts once more, on what attention or the "
    "feed-forward network gave.",
    *(
        edit({old: way.format(f="sublayer")}, inside="add_norm")
        for old, ways in ((PRE_LINE, MADE_PRE), (POST_LINE, MADE_POST))
        for way in ways
    ),
    *(edit(in_step(step, pre=way.format(f="f")), inside=LAYER_FORWARD) for way in MADE_PRE for step in STEPS),
    *(edit(in_step(step, post=way.format(f="f")), inside=LAYER_FORWARD) for way in MADE_POST for step in STEPS),
)
decoder_layer.mistake(
    "norm after the step in pre-norm",
    "In pre-norm a step reads raw tokens, and what it made is normalized instead. Pre-norm has the norm before the step: `x + dropout(step(norm(x)))`.",
    edit({PRE_LINE: "x + norm(dropout(sublayer(x)))"}, inside="add_norm"),
    edit({PRE_LINE: "x + dropout(norm(sublayer(x)))"}, inside="add_norm"),
    *(
        edit(in_step(step, pre=pre), inside=LAYER_FORWARD)
        for pre in ("x + norm(dropout(f(x)))", "x + dropout(norm(f(x)))")
        for step in STEPS
    ),
)
decoder_layer.mistake(
    "sum normalized in pre-norm",
    "In pre-norm the sum is normalized as well. A step reads normalized tokens there, and the sum goes on as it is: a path on which nothing but additions happens leads through the whole stack. The one norm of the sums "
    "stands at the end of the stack, not in the layer.",
    edit({PRE_LINE: f"norm({PRE_LINE})"}, inside="add_norm"),
    *(edit(in_step(step, pre="norm(x + dropout(f(norm(x))))"), inside=LAYER_FORWARD) for step in STEPS),
)
decoder_layer.mistake(
    "x is normalized, not the sum",
    "In post-norm `x` is normalized alone, and what the step made is added to that. It is the sum of the two that is normalized: `norm(x + dropout(...))`.",
    edit({POST_LINE: "norm(x) + dropout(sublayer(x))"}, inside="add_norm"),
    *(edit(in_step(step, post="norm(x) + dropout(f(x))"), inside=LAYER_FORWARD) for step in STEPS),
)

WRITES_PRE = {PRE_LINE: "x.add_(dropout(sublayer(norm(x))))"}
decoder_layer.mistake(
    "the input is written over",
    "The input is written over. `x += ...` changes the tensor that the caller still holds, and the gradient needs it as it was. Write `x = x + ...`, which makes a new one.",
    edit(WRITES_PRE, inside="add_norm"),
    edit(WRITES_PRE | {POST_LINE: "norm(x.add_(dropout(sublayer(x))))"}, inside="add_norm"),
    # In the first step alone, whose x is the caller's.
    edit(in_step(FIRST, pre="x.add_(dropout(f(norm(x))))"), inside=LAYER_FORWARD),
    *(
        edit(in_step(step, pre="x.add_(dropout(f(norm(x))))", post="norm(x.add_(dropout(f(x))))"), inside=LAYER_FORWARD)
        for step in (FIRST, SECOND)
    ),
)
decoder_layer.mistake(
    "a step reads x, not what it is given",
    "In pre-norm a step reads tokens that are not normalized. The function given to `add_norm` has to use its own argument, which is normalized by then, and not the `x` outside it. In post-norm the two are the same, so "
    "nothing shows there.",
    *(edit(in_form({norm: IDLE}, "pre"), inside=LAYER_FORWARD) for norm in NORMS),
    *(edit(in_form(dict.fromkeys(norms, IDLE), "pre"), inside=LAYER_FORWARD) for norms in TWO_NORMS),
    *(
        edit({SELF: f"self.self_attn({read}"}, inside=LAYER_FORWARD)
        for read in ("h, x, x", "x, h, h", "h, x, h", "h, h, x")
    ),
)

SET = "self.norm_first = norm_first"
decoder_layer.mistake(
    "norm_first ignored",
    "`norm_first` does not reach every step. The layer has two forms, post-norm and pre-norm, and all three steps have the same one. `add_norm` takes `norm_first` as its last argument, and without it does post-norm.",
    edit({SET: "self.norm_first = False"}, inside=LAYER_INIT),
    edit({SET: "self.norm_first = True"}, inside=LAYER_INIT),
    *(
        edit({f"{norm}, self.dropout, self.norm_first": f"{norm}, self.dropout"}, inside=LAYER_FORWARD)
        for norm in NORMS
    ),
    # Only one step follows it, or two.
    *(
        edit(
            {
                f"{norm}, self.dropout, self.norm_first": f"{norm}, self.dropout, {form}"
                for norm in NORMS
                if norm != kept
            },
            inside=LAYER_FORWARD,
        )
        for kept in NORMS
        for form in (False, True)
    ),
    *(
        edit({f"{norm}, self.dropout, self.norm_first": f"{norm}, self.dropout, True"}, inside=LAYER_FORWARD)
        for norm in NORMS
    ),
)
decoder_layer.mistake(
    "norm_first inverted",
    "Post-norm and pre-norm have changed places. With `norm_first=True` a step reads `norm(x)` and the sum stays as it is; with False the sum is normalized.",
    edit({SET: "self.norm_first = not norm_first"}, inside=LAYER_INIT),
)
decoder_layer.mistake(
    "norm and dropout exchanged",
    "Norm and dropout have changed places in the calls of `add_norm`. It takes the tokens, the sublayer, the norm and the dropout, in that order; the other way round, dropout acts on the sum and the norm on "
    "what is added.",
    edit({f"{norm}, self.dropout": f"self.dropout, {norm}" for norm in NORMS}, inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "norms swapped",
    "The norms have changed places. `norm1` belongs to the self-attention, `norm2` to the cross-attention, `norm3` to the feed-forward network. Untrained they are all alike and nobody would notice; trained weights, "
    "torch's for instance, do not fit.",
    edit({NORM1: NORM2, NORM2: NORM1}, inside=LAYER_FORWARD),
    edit({NORM2: NORM3, NORM3: NORM2}, inside=LAYER_FORWARD),
    edit({NORM1: NORM3, NORM3: NORM1}, inside=LAYER_FORWARD),
    # All three are at another's place.
    *(
        edit(swaps if form is None else in_form(swaps, form), inside=LAYER_FORWARD)
        for swaps in ({NORM1: NORM2, NORM2: NORM3, NORM3: NORM1}, {NORM1: NORM3, NORM3: NORM2, NORM2: NORM1})
        for form in (None, *FORMS)
    ),
    *(
        edit(in_form({one: other, other: one}, form), inside=LAYER_FORWARD)
        for one, other in itertools.combinations(NORMS, 2)
        for form in FORMS
    ),
)

NEW_NORM2, NEW_NORM3 = "self.norm2 = LayerNorm(d_model)", "self.norm3 = LayerNorm(d_model)"
decoder_layer.mistake(
    "one norm for several steps",
    "Several steps share one norm. Each of the three has its own, with a weight and a bias that are learned for that place; the ones that are not used never learn.",
    *(edit({norm: one for norm in NORMS if norm != one}, inside=LAYER_FORWARD) for one in NORMS),
    *(edit({one: other}, inside=LAYER_FORWARD) for one, other in itertools.permutations(NORMS, 2)),
    edit({NORM2: NORM1, NORM3: NORM2}, inside=LAYER_FORWARD),
    edit({NORM1: NORM2, NORM2: NORM3}, inside=LAYER_FORWARD),
    *(
        edit(in_form({one: other}, form), inside=LAYER_FORWARD)
        for one, other in itertools.permutations(NORMS, 2)
        for form in FORMS
    ),
    edit({NEW_NORM2: "self.norm2 = self.norm1", NEW_NORM3: "self.norm3 = self.norm1"}, inside=LAYER_INIT),
    edit({NEW_NORM3: "self.norm3 = self.norm2"}, inside=LAYER_INIT),
    edit({NEW_NORM2: "self.norm2 = self.norm1"}, inside=LAYER_INIT),
)
decoder_layer.mistake(
    "a norm left out",
    "A norm is left out. Each of the three steps has one: in post-norm it normalizes the sum, in pre-norm what the step reads. The layer holds its parameters all the same; where the norm is left out, they never learn.",
    *(edit({norm: IDLE}, inside=LAYER_FORWARD) for norm in NORMS),
    edit(dict.fromkeys(NORMS, IDLE), inside=LAYER_FORWARD),
    *(edit(in_form({norm: IDLE}, "post"), inside=LAYER_FORWARD) for norm in NORMS),
    *(edit(in_form(dict.fromkeys(norms, IDLE), "post"), inside=LAYER_FORWARD) for norms in TWO_NORMS),
    *(edit(in_form(dict.fromkeys(NORMS, IDLE), form), inside=LAYER_FORWARD) for form in FORMS),
)
decoder_layer.mistake(
    "normalized once more",
    "A norm is applied once more than it should be. `add_norm` applies the norm that it is given, before the step or after the sum; another one around it normalizes a second time. Each of the three norms acts once in a layer.",
    edit({PRE_LINE: f"norm({PRE_LINE})", POST_LINE: f"norm({POST_LINE})"}, inside="add_norm"),
    *(
        edit(
            in_step(step, pre="norm(x + dropout(f(norm(x))))", post="norm(norm(x + dropout(f(x))))"),
            inside=LAYER_FORWARD,
        )
        for step in STEPS
    ),
    *(edit(in_step(step, post="norm(norm(x + dropout(f(x))))"), inside=LAYER_FORWARD) for step in STEPS),
)

# Dropout ----------------------------------------------------------------------------

decoder_layer.mistake(
    "no dropout before an addition",
    "What a step made is added without dropout. In training `self.dropout` acts three times in a layer: on the output of each step, just before it is added to `x`.",
    edit({"nn.Dropout(dropout)": "nn.Dropout(0.0)"}, inside=LAYER_INIT),
    *(
        edit(swaps, inside=LAYER_FORWARD)
        for dropout in (IDLE, *(dropout_in_form(IDLE, form) for form in FORMS))
        for swaps in (
            *(with_dropout(norm, dropout) for norm in NORMS),
            *(with_dropout(one, dropout) | with_dropout(other, dropout) for one, other in TWO_NORMS),
        )
    ),
    *(edit(in_all(dropout_in_form(IDLE, form)), inside=LAYER_FORWARD) for form in FORMS),
)

NO_DROPOUT_IN_SELF = {
    "self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)": "self.self_attn = MultiHeadAttention(d_model, num_heads)"
}
NO_DROPOUT_IN_CROSS = {
    "self.cross_attn = MultiHeadAttention(d_model, num_heads, dropout)": "self.cross_attn = MultiHeadAttention(d_model, num_heads)"
}
NO_DROPOUT_IN_FEED_FORWARD = {"FeedForward(d_model, d_ff, dropout)": "FeedForward(d_model, d_ff)"}
decoder_layer.mistake(
    "dropout not handed to the parts",
    "Dropout does not reach all parts of the layer. It acts on the weights of both attentions and inside the feed-forward network as well: hand `dropout` to each of them when they are made.",
    edit(NO_DROPOUT_IN_SELF | NO_DROPOUT_IN_CROSS | NO_DROPOUT_IN_FEED_FORWARD, inside=LAYER_INIT),
    edit(NO_DROPOUT_IN_SELF | NO_DROPOUT_IN_CROSS, inside=LAYER_INIT),
    edit(NO_DROPOUT_IN_SELF, inside=LAYER_INIT),
    edit(NO_DROPOUT_IN_CROSS, inside=LAYER_INIT),
    edit(NO_DROPOUT_IN_FEED_FORWARD, inside=LAYER_INIT),
)
TWICE_DROPPED = {"post": f"dropout({RIGHT_POST})", "pre": f"dropout({RIGHT_PRE})"}
DROPPED_LAST, DROPPED_SUM, DROPPED_SUM_POST = (
    "dropout(norm(x + f(x)))",
    "dropout(x + f(norm(x)))",
    "norm(dropout(x + f(x)))",
)
DROPPED_BETWEEN = (
    "In post-norm dropout acts on the tokens themselves: on what a norm gave, or on a sum before its norm. It then blots out features of the token, not only of what was added. It acts on what the step made: "
    "`norm(x + dropout(...))`."
)
decoder_layer.mistake(
    "dropout after the norm",
    "Dropout acts after the norm, on the sum. It then blots out features of the token itself, not only of what was added. It acts on what the step made: `norm(x + dropout(...))`.",
    edit({POST_LINE: "dropout(norm(x + sublayer(x)))"}, inside="add_norm"),
    edit({POST_LINE: "dropout(norm(x + sublayer(x)))", PRE_LINE: "dropout(x + sublayer(norm(x)))"}, inside="add_norm"),
    *(edit(in_step(step, post=DROPPED_LAST, pre=DROPPED_SUM), inside=LAYER_FORWARD) for step in STEPS),
    edit(in_step(THIRD, post=DROPPED_LAST), inside=LAYER_FORWARD),
    # The next step's sum, dropped, computes the same.
    *(edit(in_step(step, post=DROPPED_LAST), inside=LAYER_FORWARD, says=DROPPED_BETWEEN) for step in (FIRST, SECOND)),
    edit(in_step(THIRD, **TWICE_DROPPED), inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "dropout on the sum",
    "Dropout acts on the sum, x included. The residual connection is there so that `x` always gets through whole. It acts on what the step made, before the addition: `x + dropout(...)`.",
    edit({POST_LINE: "norm(dropout(x + sublayer(x)))", PRE_LINE: "dropout(x + sublayer(norm(x)))"}, inside="add_norm"),
    edit({PRE_LINE: "dropout(x + sublayer(norm(x)))"}, inside="add_norm"),
    *(
        edit(in_step(step, **one), inside=LAYER_FORWARD)
        for one in ({"pre": DROPPED_SUM, "post": DROPPED_SUM_POST}, {"pre": DROPPED_SUM})
        for step in STEPS
    ),
    *(
        edit(in_step(one, **made) | in_step(other, **made), inside=LAYER_FORWARD)
        for one, other in TWO_STEPS
        for made in ({"pre": DROPPED_SUM, "post": DROPPED_SUM_POST}, {"pre": DROPPED_SUM})
    ),
)
LOSES_X = "(lambda made: dropout(x) + made)({})"
decoder_layer.mistake(
    "dropout on the residual",
    "Dropout acts on the tokens that a step adds to. They pass as they are, from step to step; what the step made goes through dropout: `x + dropout(...)`.",
    edit({PRE_LINE: "dropout(x) + sublayer(norm(x))", POST_LINE: "norm(dropout(x) + sublayer(x))"}, inside="add_norm"),
    edit(
        {
            PRE_LINE: "(lambda made: dropout(x) + made)(sublayer(norm(x)))",
            POST_LINE: "norm((lambda made: dropout(x) + made)(sublayer(x)))",
        },
        inside="add_norm",
    ),
    *(
        edit(in_step(step, **one), inside=LAYER_FORWARD)
        for one in (
            # In the order in which people compute it, as the random numbers go by that.
            {"pre": LOSES_X.format("f(norm(x))"), "post": f"norm({LOSES_X.format('f(x)')})"},
            {"pre": LOSES_X.format("f(norm(x))")},
            {"post": f"norm({LOSES_X.format('f(x)')})"},
            {"pre": "dropout(x) + dropout(f(norm(x)))", "post": "norm(dropout(x) + dropout(f(x)))"},
        )
        for step in STEPS
    ),
    # What a step leaves is what the next one adds to.
    *(edit(in_step(step, **TWICE_DROPPED), inside=LAYER_FORWARD) for step in (FIRST, SECOND)),
)
READS_DROPPED = "add_norm(x, lambda h, made={}: made(self.dropout(h))"
# What asks the memory reads one token in the probe that could tell, so a dropout on it changes nothing there.
decoder_layer.mistake(
    "dropout on what a step reads",
    "Dropout acts on what a step reads. It comes after the step, on what the step made, before that is added: `x + dropout(...)`.",
    edit({PRE_LINE: "x + sublayer(dropout(norm(x)))", POST_LINE: "norm(x + sublayer(dropout(x)))"}, inside="add_norm"),
    *(
        edit(
            {step: READS_DROPPED.format(step.removeprefix("add_norm(x, "))},
            inside=LAYER_FORWARD,
            says="Dropout acts on what a step reads, too. `add_norm` drops what the step made, before that is added, and nothing else: hand it the step as it is. (Inside, attention and the feed-forward network have dropouts of their own.)",
        )
        for step in (STEPS[0], STEPS[-1])
    ),
)
DROPPED_STEP = "add_norm(x, lambda h, made={}: self.dropout(made(h))"
DROPS = [{step: DROPPED_STEP.format(step.removeprefix("add_norm(x, "))} for step in STEPS]
decoder_layer.mistake(
    "dropout twice",
    "What a step made is dropped twice. `add_norm` applies the dropout that it is given; with another one in the function that you hand to it, more is lost than was asked for. Return what the step made as it is.",
    *(edit(one, inside=LAYER_FORWARD) for one in DROPS),
    edit(DROPS[0] | DROPS[1], inside=LAYER_FORWARD),
    edit(DROPS[0] | DROPS[1] | DROPS[2], inside=LAYER_FORWARD),
)

ALWAYS_DROPS = "(lambda h: nn.functional.dropout(h, self.dropout.p))"
decoder_layer.mistake(
    "dropout in evaluation",
    "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`. Use the `nn.Dropout` of the constructor, which follows `eval()`.",
    *(
        edit(
            {old: new for norm in norms for old, new in with_dropout(norm, "nn.Dropout(self.dropout.p)").items()},
            inside=LAYER_FORWARD,
        )
        for norms in (*((norm,) for norm in NORMS), NORMS)
    ),
    *(edit(in_all(dropout_in_form(ALWAYS_DROPS, form)), inside=LAYER_FORWARD) for form in FORMS),
)
