"""The encoder layer.

What is wrong in both sublayers is an edit of `add_norm`; what is wrong in one of them stands in its place.
"""

from collections.abc import Callable
from functools import partial

from autograder.checks.encoder import encoder_layer
from autograder.probing.mistake import Way, edit

FORWARD = "EncoderLayer.forward"

ATTENTION, FEED_FORWARD = "add_norm(x, attend,", "add_norm(x, self.feed_forward,"
PRE, POST = "x + dropout(sublayer(norm(x)))", "norm(x + dropout(sublayer(x)))"
KEPT = "kept: list[Tensor] = []"
WITH_GIVEN = {KEPT: f"{KEPT}; given = x"}
WITH_ATTENDED = {"kept.append(weights)": "kept.append(weights); kept.append(output)"}
ATTEND = "self.self_attn(h, h, h, mask)"
RESULT = "(x, kept[0]) if return_weights else x"
NORM_1, NORM_2 = "self.norm1 = LayerNorm(d_model)", "self.norm2 = LayerNorm(d_model)"
WITH_NORM_1, WITH_NORM_2 = "self.norm1,", "self.norm2,"
NORM_FIRST = "self.norm_first = norm_first"
MAKE_ATTENTION = "MultiHeadAttention(d_model, num_heads, dropout)"
MAKE_FEED_FORWARD = "FeedForward(d_model, d_ff, dropout)"
DROPOUT = "self.dropout = nn.Dropout(dropout)"

RIGHT_PRE, RIGHT_POST = "x + drop(sub(norm(x)))", "norm(x + drop(sub(x)))"


def wrong_sublayer(call: str, *, pre: str = RIGHT_PRE, post: str = RIGHT_POST) -> dict[str, str]:
    """An edit of one of the two calls of `add_norm`: what pre- and post-norm compute there instead."""
    return {call: call.replace("add_norm", f"(lambda x, sub, norm, drop, first: {pre} if first else {post})")}


def only(where: str, says: str) -> str:
    """The same explanation, said of one case. Who writes two branches can slip in one."""
    return f"{where}, {says[0].lower()}{says[1:]}"


def in_either_form(says: str, spoil: Callable[..., dict[str, str]], *, inside: str, pre: str, post: str) -> list[Way]:
    """The same slip in both forms of the layer, and in one of them alone, which the text then says.

    Args:
        says: the explanation of the slip in both.
        spoil: gives the edit, from what `pre` and `post` compute; without one of the two, that form stays right.
        inside: the definition that is edited.
        pre, post: what the forms compute.
    """
    return [
        edit(spoil(pre=pre, post=post), inside=inside),
        edit(spoil(pre=pre), inside=inside, says=only("In pre-norm", says)),
        edit(spoil(post=post), inside=inside, says=only("In post-norm", says)),
    ]


def wrong_add_norm(*, pre: str = PRE, post: str = POST) -> dict[str, str]:
    """An edit of `add_norm` itself, for slips in both sublayers."""
    return {old: new for old, new in ((PRE, pre), (POST, post)) if old != new}


def other_norms(says: str = "", *, first: str = "self.norm1", second: str = "self.norm2", form: str = "") -> Way:
    """Other norms in the two sublayers: in both forms of the layer, or in "pre" or "post", which the text then says."""
    swaps = {}
    for place, other in ((WITH_NORM_1, first), (WITH_NORM_2, second)):
        right = place.removesuffix(",")
        pre, post = (right if form == "post" else other), (right if form == "pre" else other)
        if other != right:
            swaps[place] = f"({pre} if self.norm_first else {post})," if form else f"{other},"
    return edit(swaps, inside=FORWARD, says=only(f"In {form}-norm", says) if form else "")


FORMS = ("pre", "post")

# Residuals ----------------------------------------------------------------------------

UNADDED_PRE, UNADDED_POST = "drop(sub(norm(x)))", "norm(drop(sub(x)))"

NO_FIRST = "Nothing is added around attention. Only what attention made of the tokens goes on, and the tokens themselves are lost. Add `x` to what attention returned, before the norm in post-norm."
encoder_layer.mistake(
    "no residual around attention",
    NO_FIRST,
    *in_either_form(NO_FIRST, partial(wrong_sublayer, ATTENTION), inside=FORWARD, pre=UNADDED_PRE, post=UNADDED_POST),
)

NO_SECOND = "Nothing is added around the feed-forward network. Its output replaces the tokens; it should be added to them. The layer adds twice: once after attention, once after the feed-forward network."
encoder_layer.mistake(
    "no residual around the feed-forward network",
    NO_SECOND,
    *in_either_form(
        NO_SECOND, partial(wrong_sublayer, FEED_FORWARD), inside=FORWARD, pre=UNADDED_PRE, post=UNADDED_POST
    ),
)

NEITHER = (
    "Your layer adds nothing. Attention and the feed-forward network replace the tokens; each should add to them. Without the two additions there is no path on which a token, or a gradient, "
    'passes through a deep stack unchanged. Articles that list "attention, norm, feed-forward, norm" leave them out.'
)
encoder_layer.mistake(
    "no residuals",
    NEITHER,
    *in_either_form(
        NEITHER,
        wrong_add_norm,
        inside="add_norm",
        pre="dropout(sublayer(norm(x)))",
        post="norm(dropout(sublayer(x)))",
    ),
)

OLD_RESIDUAL = (
    "The second addition takes the layer's input. By then the tokens have been through attention, and adding the old `x` throws away what attention added. The second addition starts from the result of the "
    "first. Look which variable you add."
)
OLD_PRE, OLD_POST = "given + drop(sub(norm(x)))", "norm(given + drop(sub(x)))"
encoder_layer.mistake(
    "second residual adds the layer's input",
    OLD_RESIDUAL,
    *in_either_form(
        OLD_RESIDUAL,
        lambda **forms: WITH_GIVEN | wrong_sublayer(FEED_FORWARD, **forms),
        inside=FORWARD,
        pre=OLD_PRE,
        post=OLD_POST,
    ),
)

encoder_layer.mistake(
    "feed-forward network on the wrong tensor",
    "The feed-forward network reads the wrong tensor. It should read what came out of the first Add & Norm (in pre-norm: `norm2` of the sum), so that it works on what attention found, added to the token. "
    "Look at what you pass to `self.feed_forward`.",
    # The residual is right: x is added to what the network makes of something else.
    *(
        edit(
            {
                **extra,
                **wrong_sublayer(FEED_FORWARD, pre=f"x + drop(sub({pre}))", post=f"norm(x + drop(sub({post})))"),
            },
            inside=FORWARD,
        )
        for pre, post, extra in (
            ("norm(given)", "given", WITH_GIVEN),
            ("norm(given)", "x", WITH_GIVEN),
            ("norm(x)", "given", WITH_GIVEN),
            ("given", "given", WITH_GIVEN),
            ("norm(kept[1])", "kept[1]", WITH_ATTENDED),
            ("norm(kept[1])", "x", WITH_ATTENDED),
            ("norm(x)", "kept[1]", WITH_ATTENDED),
            ("kept[1]", "kept[1]", WITH_ATTENDED),
            ("self.norm1(given)", "x", WITH_GIVEN),
        )
    ),
)

ADDS_ITSELF = "(lambda x, sub, *rest: add_norm(x, lambda h: h + sub(h), *rest))"
AROUND = "The tokens are added twice. `add_norm` adds `x` already; a second `x +` around it doubles the tokens in pre-norm, and in post-norm leaves a sum that nothing normalizes. Take what `add_norm` returns as it is."
encoder_layer.mistake(
    "added twice",
    "The tokens are added twice. Each sublayer's output is added to them once, `x + dropout(sublayer(x))`, and if you use `add_norm`, it does that: the function that you hand to it returns what attention or "
    "the feed-forward network made, and nothing else.",
    edit(
        {ATTENTION: f"x + {ATTENTION}", FEED_FORWARD: f"x + {FEED_FORWARD}"},
        inside=FORWARD,
        says=AROUND,
    ),
    *(edit({call: f"x + {call}"}, inside=FORWARD, says=AROUND) for call in (ATTENTION, FEED_FORWARD)),
    edit({ATTENTION: f"{ADDS_ITSELF}(x, attend,"}, inside=FORWARD),
    edit({FEED_FORWARD: f"{ADDS_ITSELF}(x, self.feed_forward,"}, inside=FORWARD),
    edit(
        {ATTENTION: f"{ADDS_ITSELF}(x, attend,", FEED_FORWARD: f"{ADDS_ITSELF}(x, self.feed_forward,"}, inside=FORWARD
    ),
    edit({PRE: "x + x + dropout(sublayer(norm(x)))", POST: "norm(x + x + dropout(sublayer(x)))"}, inside="add_norm"),
    *(
        edit(wrong_sublayer(call, pre="x + x + drop(sub(norm(x)))", post="norm(x + x + drop(sub(x)))"), inside=FORWARD)
        for call in (ATTENTION, FEED_FORWARD)
    ),
)

encoder_layer.mistake(
    "result of add_norm not kept",
    "What `add_norm` returns is not kept. It changes nothing by itself: it returns new tokens, and they are lost unless they get a name. Write `x = add_norm(x, ...)`, in both steps, so that the second step "
    "reads what the first has made.",
    edit({f"x = {ATTENTION}": ATTENTION, f"x = {FEED_FORWARD}": FEED_FORWARD}, inside=FORWARD),
    edit({f"x = {ATTENTION}": ATTENTION}, inside=FORWARD),
)

encoder_layer.mistake(
    "steps side by side",
    "The two steps stand side by side. Both start from the tokens that came into the layer, and what they give is summed: the feed-forward network hears nothing of what attention found. The second step starts from "
    "what the first gives.",
    edit(
        {f"x = {ATTENTION}": f"first = {ATTENTION}", f"x = {FEED_FORWARD}": f"x = first + {FEED_FORWARD}"},
        inside=FORWARD,
    ),
)


def twice(call: str, norm: str) -> dict[str, str]:
    """The edit of a step whose line stands there twice."""
    line = f"x = {call} {norm}"
    return {line: f"{line} self.dropout, self.norm_first); {line}"}


encoder_layer.mistake(
    "a step runs twice",
    "One of the two steps runs twice. What it makes is added a second time, with the same parameters. Each step has one line; look for a line that was copied and not changed.",
    edit(twice(ATTENTION, WITH_NORM_1), inside=FORWARD),
    edit(twice(ATTENTION, WITH_NORM_1) | {RESULT: "(x, kept[1]) if return_weights else x"}, inside=FORWARD),
    edit(twice(FEED_FORWARD, WITH_NORM_2), inside=FORWARD),
)

NORM_DROPOUT_1 = {"self.norm1, self.dropout": "self.dropout, self.norm1"}
NORM_DROPOUT_2 = {"self.norm2, self.dropout": "self.dropout, self.norm2"}
encoder_layer.mistake(
    "norm and dropout exchanged",
    "The norm and the dropout have changed places. Both are functions of one tensor, so no error comes; but now what a sublayer made is normalized before it is added, and the sum is not normalized. "
    "`add_norm` takes the norm first: `add_norm(x, sublayer, norm, dropout, norm_first)`.",
    edit(NORM_DROPOUT_1 | NORM_DROPOUT_2, inside=FORWARD),
    edit(NORM_DROPOUT_1, inside=FORWARD),
    edit(NORM_DROPOUT_2, inside=FORWARD),
)

encoder_layer.mistake(
    "written over in place",
    "A tensor is written over while it is still needed. `x += ...` and methods that end in `_` change the tensor that the caller passed in, or a tensor that the gradient needs later. `x = x + ...` makes a "
    "new tensor.",
    edit(
        {PRE: "x.add_(dropout(sublayer(norm(x))))", POST: "norm(x.add_(dropout(sublayer(x))))"},
        inside="add_norm",
    ),
    edit({PRE: "x.add_(dropout(sublayer(norm(x))))"}, inside="add_norm"),
    edit(wrong_sublayer(ATTENTION, pre="x.add_(drop(sub(norm(x))))"), inside=FORWARD),
    edit(
        wrong_sublayer(ATTENTION, pre="x.add_(drop(sub(norm(x))))", post="norm(x.add_(drop(sub(x))))"), inside=FORWARD
    ),
    edit(
        wrong_sublayer(FEED_FORWARD, pre="x.add_(drop(sub(norm(x))))", post="norm(x.add_(drop(sub(x))))"),
        inside=FORWARD,
    ),
)

# Norms ----------------------------------------------------------------------------

SWAPPED = (
    "`norm1` and `norm2` have changed places. Both are LayerNorms of the same width, so no error warns you; but each learns a scale and a shift of its own, and weights from elsewhere do not fit. `norm1` "
    "belongs to attention, `norm2` to the feed-forward network."
)
encoder_layer.mistake(
    "norms swapped",
    SWAPPED,
    other_norms(first="self.norm2", second="self.norm1"),
    *(other_norms(SWAPPED, first="self.norm2", second="self.norm1", form=form) for form in FORMS),
)

SHARED = (
    "One norm serves both sublayers. They work on different numbers, and each needs a scale and a shift of its own; a single norm cannot suit both. `norm1` belongs to attention, `norm2` to the feed-forward "
    "network."
)
encoder_layer.mistake(
    "one norm for both sublayers",
    SHARED,
    other_norms(second="self.norm1"),
    other_norms(first="self.norm2"),
    *(other_norms(SHARED, second="self.norm1", form=form) for form in FORMS),
    *(other_norms(SHARED, first="self.norm2", form=form) for form in FORMS),
    {NORM_2: "self.norm2 = self.norm1"},
    {
        NORM_1: "self.norm = LayerNorm(d_model)",
        NORM_2: "pass",
        WITH_NORM_1: "self.norm,",
        WITH_NORM_2: "self.norm,",
    },
)

NO_NORM = "(lambda h: h)"
LEFT_OUT = "A norm is left out. The layer has two, one for each sublayer: in post-norm each normalizes a sum, in pre-norm what a sublayer reads. One or both of your norms are made and never used. Look where `norm1` and `norm2` act."
encoder_layer.mistake(
    "a norm left out",
    LEFT_OUT,
    other_norms(first=NO_NORM),
    other_norms(second=NO_NORM),
    edit(wrong_sublayer(FEED_FORWARD, pre="x + drop(sub(x))"), inside=FORWARD),
    other_norms(first=NO_NORM, second=NO_NORM),
    other_norms(LEFT_OUT, second=NO_NORM, form="pre"),
    other_norms(LEFT_OUT, first=NO_NORM, form="post"),
    other_norms(LEFT_OUT, second=NO_NORM, form="post"),
    *(other_norms(LEFT_OUT, first=NO_NORM, second=NO_NORM, form=form) for form in FORMS),
)

encoder_layer.mistake(
    "norm_first ignored",
    "`norm_first` changes nothing. Your layer does the same for True and False. False is post-norm, `norm(x + sublayer(x))`; True is pre-norm, `x + sublayer(norm(x))`. `add_norm` takes it as its last "
    "argument.",
    {NORM_FIRST: "self.norm_first = False"},
    {NORM_FIRST: "self.norm_first = True"},
)

encoder_layer.mistake(
    "norm_first the wrong way round",
    "`norm_first` is read the wrong way round. True should be pre-norm, where a sublayer reads normalized tokens; False is post-norm, as in the paper, where the sum is normalized.",
    {NORM_FIRST: "self.norm_first = not norm_first"},
)

encoder_layer.mistake(
    "norm before the addition",
    "The norm comes before the addition. In post-norm you normalize what the sublayer made and add it to `x`; normalize the sum instead, `norm(x + sublayer(x))`. With your order the tokens grow from layer "
    "to layer.",
    edit({POST: "x + norm(dropout(sublayer(x)))"}, inside="add_norm"),
    edit({POST: "x + dropout(norm(sublayer(x)))"}, inside="add_norm"),
    *(
        edit(wrong_sublayer(call, post=post), inside=FORWARD)
        for post in ("x + norm(drop(sub(x)))", "x + drop(norm(sub(x)))")
        for call in (ATTENTION, FEED_FORWARD)
    ),
)

MADE_PRE = ("x + norm({drop}({sub}(norm(x))))", "x + {drop}(norm({sub}(norm(x))))")
MADE_POST = ("norm(x + norm({drop}({sub}(x))))", "norm(x + {drop}(norm({sub}(x))))")
LONG, SHORT = {"drop": "dropout", "sub": "sublayer"}, {"drop": "drop", "sub": "sub"}
encoder_layer.mistake(
    "what a sublayer made is normalized too",
    "What a sublayer made is normalized before it is added. A sublayer has one norm and one place for it: in post-norm the sum, in pre-norm what the sublayer reads. Your layer normalizes once more, what attention or "
    "the feed-forward network gave.",
    *(edit({PRE: way.format(**LONG)}, inside="add_norm") for way in MADE_PRE),
    *(edit({POST: way.format(**LONG)}, inside="add_norm") for way in MADE_POST),
    *(
        edit(wrong_sublayer(call, pre=way.format(**SHORT)), inside=FORWARD)
        for way in MADE_PRE
        for call in (ATTENTION, FEED_FORWARD)
    ),
    *(
        edit(wrong_sublayer(call, post=way.format(**SHORT)), inside=FORWARD)
        for way in MADE_POST
        for call in (ATTENTION, FEED_FORWARD)
    ),
)

encoder_layer.mistake(
    "norm after the sublayer in pre-norm",
    "In pre-norm a sublayer reads raw tokens, and what it made is normalized instead. Pre-norm has the norm before the sublayer: `x + dropout(sublayer(norm(x)))`.",
    edit({PRE: "x + norm(dropout(sublayer(x)))"}, inside="add_norm"),
    edit({PRE: "x + dropout(norm(sublayer(x)))"}, inside="add_norm"),
    *(
        edit(wrong_sublayer(call, pre=pre), inside=FORWARD)
        for pre in ("x + norm(drop(sub(x)))", "x + drop(norm(sub(x)))")
        for call in (ATTENTION, FEED_FORWARD)
    ),
)

encoder_layer.mistake(
    "x is normalized, not the sum",
    "In post-norm `x` is normalized alone, and what the sublayer made is added to that. Normalize the sum of the two: `norm(x + dropout(sublayer(x)))`.",
    edit({POST: "norm(x) + dropout(sublayer(x))"}, inside="add_norm"),
    *(edit(wrong_sublayer(call, post="norm(x) + drop(sub(x))"), inside=FORWARD) for call in (ATTENTION, FEED_FORWARD)),
)

encoder_layer.mistake(
    "normalized before a sublayer in post-norm",
    "In post-norm a sublayer reads normalized tokens. There a sublayer reads `x` as it is, and its norm comes once, on the sum: `norm(x + dropout(sublayer(x)))`. Only in pre-norm does a sublayer read `norm(x)`.",
    edit({POST: "norm(x + dropout(sublayer(norm(x))))"}, inside="add_norm"),
    *(
        edit(wrong_sublayer(call, post="norm(x + drop(sub(norm(x))))"), inside=FORWARD)
        for call in (ATTENTION, FEED_FORWARD)
    ),
)

encoder_layer.mistake(
    "sum normalized in pre-norm",
    "In pre-norm the sum is normalized as well. In pre-norm the tokens pass through the stack with additions only, and only what a sublayer reads is normalized. The sums are normalized once, at the end of "
    "the whole stack.",
    edit({PRE: f"norm({PRE})"}, inside="add_norm"),
    *(edit(wrong_sublayer(call, pre=f"norm({RIGHT_PRE})"), inside=FORWARD) for call in (ATTENTION, FEED_FORWARD)),
)

encoder_layer.mistake(
    "normalized tokens added in pre-norm",
    "In pre-norm you add to the normalized tokens. Add to `x` as it came in; only the sublayer reads `norm(x)`. If you wrote `x = norm(x)`, the old `x` is gone: give the normalized tokens another name.",
    edit({PRE: "norm(x) + dropout(sublayer(norm(x)))"}, inside="add_norm"),
    *(
        edit(wrong_sublayer(call, pre="norm(x) + drop(sub(norm(x)))"), inside=FORWARD)
        for call in (ATTENTION, FEED_FORWARD)
    ),
)

READ_TWICE = (
    "In pre-norm a sublayer reads tokens that were normalized twice. `add_norm` normalizes what the sublayer reads when `norm_first` is True: the function that you hand to it takes its argument as it is, "
    "and only `add_norm` looks at `norm_first`."
)
READ_NORMALIZED = "A sublayer normalizes what it reads. `add_norm` does all the normalizing, before the sublayer or after the sum: the function that you hand to it takes its argument as it is."


def reads_normalized(call: str, given: str) -> dict[str, str]:
    """A sublayer that normalizes what it is given."""
    if call == ATTEND:
        return {ATTEND: f"self.self_attn(*[{given.format(norm='self.norm1')}] * 3, mask)"}
    reads = f"lambda h: self.feed_forward({given.format(norm='self.norm2')})"
    return {FEED_FORWARD: f"add_norm(x, {reads},"}


encoder_layer.mistake(
    "normalized once more",
    "A norm is applied once too often. `add_norm` applies the norm that it is given, before the sublayer or after the sum; another norm around `add_norm` normalizes a second time. Take what `add_norm` "
    "returns as it is.",
    edit({PRE: f"norm({PRE})", POST: f"norm({POST})"}, inside="add_norm"),
    *(
        edit(wrong_sublayer(call, pre=f"norm({RIGHT_PRE})", post=f"norm({RIGHT_POST})"), inside=FORWARD)
        for call in (ATTENTION, FEED_FORWARD)
    ),
    *(
        edit({**first, **second}, inside=FORWARD, says=says)
        for says, given in (
            (READ_TWICE, "({norm}(h) if self.norm_first else h)"),
            (READ_NORMALIZED, "{norm}(h)"),
        )
        for first, second in (
            (reads_normalized(ATTEND, given), {}),
            ({}, reads_normalized(FEED_FORWARD, given)),
            (reads_normalized(ATTEND, given), reads_normalized(FEED_FORWARD, given)),
        )
    ),
)

encoder_layer.mistake(
    "keys or values not normalized",
    "In pre-norm, keys and values are not normalized. Attention reads normalized tokens in all three places; with `x` for the keys or the values, a query is compared with tokens on another scale. Inside the "
    "function that you give to `add_norm`, use its own argument three times, not `x`.",
    edit({**WITH_GIVEN, ATTEND: "self.self_attn(h, given, given, mask)"}, inside=FORWARD),
    edit({**WITH_GIVEN, ATTEND: "self.self_attn(h, h, given, mask)"}, inside=FORWARD),
    edit({**WITH_GIVEN, ATTEND: "self.self_attn(h, given, h, mask)"}, inside=FORWARD),
)

encoder_layer.mistake(
    "query not normalized",
    "In pre-norm the query is not normalized. Attention reads normalized tokens in all three places, and `norm1(x)` stands in two of yours. Inside the function that you give to `add_norm`, use its own "
    "argument three times, not `x`.",
    edit({**WITH_GIVEN, ATTEND: "self.self_attn(given, h, h, mask)"}, inside=FORWARD),
)

encoder_layer.mistake(
    "attention reads raw tokens in pre-norm",
    "In pre-norm attention reads the tokens as they are. It should read them normalized. `add_norm` calls your function with what it has to read, which is `norm(x)` in pre-norm: use the function's own argument, three times, and not the `x` of `forward`.",
    edit({ATTEND: "self.self_attn(x, x, x, mask)"}, inside=FORWARD),
)

encoder_layer.mistake(
    "norm_first in one step only",
    "Only one of the two steps obeys `norm_first`. Both calls of `add_norm` need it as their last argument; a call without it is post-norm.",
    edit(wrong_sublayer(ATTENTION, pre=RIGHT_POST), inside=FORWARD),
    edit(wrong_sublayer(FEED_FORWARD, pre=RIGHT_POST), inside=FORWARD),
)

KEEPS = "Something is kept from call to call. A list that belongs to the object, `self.kept`, grows with every call: its first entry is from the first call, and the memory fills up. Make a new list in `forward`."
LEAK = "; self.__dict__.setdefault('seen', []).append(x)"
encoder_layer.mistake(
    "weights of an earlier call",
    KEEPS,
    edit({KEPT: "kept = self.__dict__.setdefault('kept', [])"}, inside=FORWARD),
    edit({KEPT: KEPT + LEAK}, inside=FORWARD),
)
# Dropout ----------------------------------------------------------------------------

NO_DROPOUT = "A dropout is left out. What a sublayer made goes through `self.dropout` before it is added: once after attention, once after the feed-forward network. In evaluation nothing shows this; in training it does."
NO_DROP_PRE, NO_DROP_POST = "x + sub(norm(x))", "norm(x + sub(x))"
encoder_layer.mistake(
    "a dropout left out",
    NO_DROPOUT,
    {DROPOUT: "self.dropout = nn.Dropout(0.0)"},
    edit(wrong_sublayer(ATTENTION, pre=NO_DROP_PRE, post=NO_DROP_POST), inside=FORWARD),
    edit(wrong_sublayer(FEED_FORWARD, pre=NO_DROP_PRE, post=NO_DROP_POST), inside=FORWARD),
    edit(wrong_sublayer(ATTENTION, pre=NO_DROP_PRE), inside=FORWARD, says=only("In pre-norm", NO_DROPOUT)),
    edit(wrong_sublayer(ATTENTION, post=NO_DROP_POST), inside=FORWARD, says=only("In post-norm", NO_DROPOUT)),
    edit(wrong_sublayer(FEED_FORWARD, pre=NO_DROP_PRE), inside=FORWARD, says=only("In pre-norm", NO_DROPOUT)),
    edit(wrong_sublayer(FEED_FORWARD, post=NO_DROP_POST), inside=FORWARD, says=only("In post-norm", NO_DROPOUT)),
    edit({PRE: "x + sublayer(norm(x))"}, inside="add_norm", says=only("In pre-norm", NO_DROPOUT)),
    edit({POST: "norm(x + sublayer(x))"}, inside="add_norm", says=only("In post-norm", NO_DROPOUT)),
)

SUM_DROPPED = "Dropout acts on the sum. It sets features of the tokens themselves to zero, and they are lost to all later layers. Only what the sublayer made goes through dropout: `x + dropout(sublayer(...))`."
SUM_DROPPED_TOO = "Dropout acts on the sum, too. It sets features of the tokens themselves to zero, and they are lost to all later layers. Only what the sublayer made goes through dropout, once: `x + dropout(sublayer(...))`."
encoder_layer.mistake(
    "dropout on the sum",
    SUM_DROPPED,
    edit({PRE: "dropout(x + sublayer(norm(x)))", POST: "norm(dropout(x + sublayer(x)))"}, inside="add_norm"),
    edit({PRE: "dropout(x + sublayer(norm(x)))"}, inside="add_norm", says=only("In pre-norm", SUM_DROPPED)),
    edit({POST: "norm(dropout(x + sublayer(x)))"}, inside="add_norm", says=only("In post-norm", SUM_DROPPED)),
    *(edit(wrong_sublayer(call, pre="drop(x + sub(norm(x)))"), inside=FORWARD) for call in (ATTENTION, FEED_FORWARD)),
    edit(wrong_sublayer(ATTENTION, pre="drop(x + sub(norm(x)))", post="norm(drop(x + sub(x)))"), inside=FORWARD),
    edit(wrong_sublayer(FEED_FORWARD, pre="drop(x + sub(norm(x)))", post="norm(drop(x + sub(x)))"), inside=FORWARD),
    *(
        edit(
            wrong_sublayer(call, post="norm(drop(x + sub(x)))"), inside=FORWARD, says=only("In post-norm", SUM_DROPPED)
        )
        for call in (ATTENTION, FEED_FORWARD)
    ),
    *(
        edit(
            wrong_sublayer(call, post="norm(drop(x + drop(sub(x))))"),
            inside=FORWARD,
            says=only("In post-norm", SUM_DROPPED_TOO),
        )
        for call in (ATTENTION, FEED_FORWARD)
    ),
    *in_either_form(
        SUM_DROPPED_TOO,
        wrong_add_norm,
        inside="add_norm",
        pre="dropout(x + dropout(sublayer(norm(x))))",
        post="norm(dropout(x + dropout(sublayer(x))))",
    ),
)

encoder_layer.mistake(
    "dropout after the norm",
    "Dropout comes after the norm. The order is sublayer, dropout, addition, norm, in both steps. Your dropout sets features of finished tokens to zero, and with them features of the residual. "
    'Articles that list "attention, norm, feed-forward, dropout, norm, dropout" have this order.',
    edit({POST: "dropout(norm(x + sublayer(x)))"}, inside="add_norm"),
    edit({PRE: "dropout(x + sublayer(norm(x)))", POST: "dropout(norm(x + sublayer(x)))"}, inside="add_norm"),
    edit({PRE: "x + sublayer(dropout(norm(x)))", POST: "dropout(norm(x + sublayer(x)))"}, inside="add_norm"),
    edit({PRE: "x + sublayer(norm(x))", POST: "dropout(norm(x + sublayer(x)))"}, inside="add_norm"),
    edit({POST: f"dropout({POST})"}, inside="add_norm"),
    *(
        edit(wrong_sublayer(call, pre=pre, post="drop(norm(x + sub(x)))"), inside=FORWARD)
        for pre in (f"drop({RIGHT_PRE})", "drop(x + sub(norm(x)))", NO_DROP_PRE)
        for call in (ATTENTION, FEED_FORWARD)
    ),
    *(
        edit(wrong_sublayer(call, post=f"drop({inner})"), inside=FORWARD)
        for call in (ATTENTION, FEED_FORWARD)
        for inner in (NO_DROP_POST, RIGHT_POST)
    ),
    edit(
        {RESULT: "(self.dropout(x), kept[0]) if return_weights else self.dropout(x)"},
        inside=FORWARD,
        says="Dropout acts on what the layer returns. It sets features of finished tokens to zero, and they are lost to all later layers. Only what a sublayer made goes through dropout, before it is added: "
        "`x + dropout(sublayer(...))`.",
    ),
)

encoder_layer.mistake(
    "dropout on the residual",
    "Dropout acts on the residual. The tokens that are added to have to pass unchanged; only what the sublayer made goes through dropout, `x + dropout(sublayer(...))`.",
    edit({PRE: "dropout(x) + sublayer(norm(x))", POST: "norm(dropout(x) + sublayer(x))"}, inside="add_norm"),
    *(
        edit(wrong_sublayer(call, pre="(lambda made: drop(x) + made)(sub(norm(x)))"), inside=FORWARD)
        for call in (ATTENTION, FEED_FORWARD)
    ),
    *(
        edit(wrong_sublayer(call, post=f"norm(drop(x) + {made})"), inside=FORWARD)
        for call in (ATTENTION, FEED_FORWARD)
        for made in ("sub(x)", "drop(sub(x))")
    ),
    edit(
        {KEPT: f"{KEPT}; x = self.dropout(x)"},
        inside=FORWARD,
        says="Dropout acts on the tokens that the layer is given. They have to pass unchanged; only what a sublayer made goes through dropout, `x + dropout(sublayer(...))`.",
    ),
)

READ_DROPPED = "Dropout acts on what a sublayer reads, too. Only what the sublayer made is dropped out here, before it is added: `x + dropout(sublayer(...))`. (Inside, attention and the feed-forward network have dropouts of their own.)"

encoder_layer.mistake(
    "dropout on what a sublayer reads",
    "Dropout acts on what a sublayer reads. It belongs after the sublayer, on what the sublayer made, before that is added: `x + dropout(sublayer(...))`.",
    edit({PRE: "x + sublayer(dropout(norm(x)))", POST: "norm(x + sublayer(dropout(x)))"}, inside="add_norm"),
    *in_either_form(
        READ_DROPPED,
        wrong_add_norm,
        inside="add_norm",
        pre="x + dropout(sublayer(dropout(norm(x))))",
        post="norm(x + dropout(sublayer(dropout(x))))",
    ),
    *(
        way
        for call in (ATTENTION, FEED_FORWARD)
        for way in in_either_form(
            READ_DROPPED,
            partial(wrong_sublayer, call),
            inside=FORWARD,
            pre="x + drop(sub(drop(norm(x))))",
            post="norm(x + drop(sub(drop(x))))",
        )
    ),
)

DROPS_OUTPUT = {"return output": "return self.dropout(output)"}
DROPS_NETWORK = {FEED_FORWARD: "add_norm(x, lambda h: self.dropout(self.feed_forward(h)),"}
encoder_layer.mistake(
    "dropout twice",
    "What a sublayer made is dropped twice. `add_norm` applies the dropout that it is given; with another dropout in the function that you pass to it, more is dropped than was asked for. Return what the "
    "sublayer made as it is.",
    edit(DROPS_OUTPUT, inside=FORWARD),
    edit(DROPS_NETWORK, inside=FORWARD),
    edit(DROPS_OUTPUT | DROPS_NETWORK, inside=FORWARD),
    edit(
        {PRE: "x + dropout(dropout(sublayer(norm(x))))", POST: "norm(x + dropout(dropout(sublayer(x))))"},
        inside="add_norm",
    ),
)

encoder_layer.mistake(
    "dropout in evaluation",
    "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`, and then a trained model answers differently each time. Use the `nn.Dropout` of the constructor, or pass `training=self.training`.",
    {DROPOUT: "self.dropout = lambda h: nn.functional.dropout(h, dropout)"},
    *(
        edit(
            wrong_sublayer(
                call,
                pre="x + nn.functional.dropout(sub(norm(x)), drop.p)",
                post="norm(x + nn.functional.dropout(sub(x), drop.p))",
            ),
            inside=FORWARD,
        )
        for call in (ATTENTION, FEED_FORWARD)
    ),
)

NO_HAND_1 = {MAKE_ATTENTION: "MultiHeadAttention(d_model, num_heads)"}
NO_HAND_2 = {MAKE_FEED_FORWARD: "FeedForward(d_model, d_ff)"}
encoder_layer.mistake(
    "dropout not handed to the parts",
    "Dropout is not handed to the parts. It acts at four places in a layer: on the attention weights, on what attention adds, inside the feed-forward network, on what the feed-forward network adds. The "
    "first and the third belong to `MultiHeadAttention` and `FeedForward`, which take it as their last argument.",
    NO_HAND_1,
    NO_HAND_2,
    NO_HAND_1 | NO_HAND_2,
    edit(
        {DROPOUT: "self.dropout = nn.Dropout()"},
        says="`nn.Dropout()` without a number drops half of everything, whatever was asked for. Pass on the layer's own number: `nn.Dropout(dropout)`.",
    ),
)

# The mask ----------------------------------------------------------------------------

encoder_layer.mistake(
    "mask not passed on",
    "The mask does not reach attention. Every token looks at every other, padding included. No error comes, but padding becomes part of every token. Pass `mask` on to `self.self_attn`, whatever `norm_first` "
    "is.",
    edit({ATTEND: "self.self_attn(h, h, h)"}, inside=FORWARD),
    edit({ATTEND: "self.self_attn(h, h, h, mask if self.norm_first else None)"}, inside=FORWARD),
    edit({ATTEND: "self.self_attn(h, h, h, None if self.norm_first else mask)"}, inside=FORWARD),
)

encoder_layer.mistake(
    "mask inverted",
    'The mask is inverted on its way. In this course True means "may look", for the layer and for `self.self_attn` alike; only torch\'s modules mean the opposite. Pass the mask on as it is.',
    edit({ATTEND: "self.self_attn(h, h, h, None if mask is None else ~mask)"}, inside=FORWARD),
)

QUERIES = "The mask hides queries instead of keys. A mask of shape (batch, 1, 1, seq_len) says along its last dimension which tokens may be read. Transposed, it stops padded tokens from reading and lets every token read them. Pass the mask on as it is."
encoder_layer.mistake(
    "mask on the queries",
    QUERIES,
    edit({ATTEND: "self.self_attn(h, h, h, None if mask is None else mask.mT)"}, inside=FORWARD),
)

QUERIES_TOO = "The mask hides queries as well as keys. What a padded token computes is thrown away later, so it may read anything; and with a mask that is not for padding, yours hides what should be seen. Pass the mask on as it is."
encoder_layer.mistake(
    "mask on the queries as well",
    QUERIES_TOO,
    edit({ATTEND: "self.self_attn(h, h, h, None if mask is None else mask & mask.mT)"}, inside=FORWARD),
)

CAUSAL = "No token sees those after it: this encoder is causal. An encoder reads a finished sentence, and every token may look both ways; hiding the future is for a decoder, which writes. If a mask is needed, the caller passes it."
CAUSAL_WITH_MASK = "With a mask, no token sees those after it: the mask given is made causal. An encoder reads a finished sentence, and every token may look both ways, at whatever the mask allows. Pass the mask on as it is."
STRICTLY_CAUSAL = "A token sees only those before it, and not even itself: this encoder is causal. An encoder reads a finished sentence, and every token may look both ways; hiding the future is for a decoder, which writes, and even there a token sees itself."
TRIL = "h.new_ones(h.size(1), h.size(1)).tril().bool()"
STRICT_TRIL, TRIU = TRIL.replace("tril()", "tril(-1)"), TRIL.replace("tril()", "triu()")
encoder_layer.mistake(
    "causal",
    CAUSAL,
    edit({ATTEND: f"self.self_attn(h, h, h, {TRIL} if mask is None else mask & {TRIL})"}, inside=FORWARD),
    edit({ATTEND: f"self.self_attn(h, h, h, {TRIL})"}, inside=FORWARD),
    edit({ATTEND: f"self.self_attn(h, h, h, {TRIL} if mask is None else mask)"}, inside=FORWARD),
    edit(
        {ATTEND: f"self.self_attn(h, h, h, None if mask is None else mask & {TRIL})"},
        inside=FORWARD,
        says=CAUSAL_WITH_MASK,
    ),
    edit(
        {ATTEND: f"self.self_attn(h, h, h, {STRICT_TRIL} if mask is None else mask & {STRICT_TRIL})"},
        inside=FORWARD,
        says=STRICTLY_CAUSAL,
    ),
)

PAST_HIDDEN = "No token sees those before it. A causal mask would be the other triangle, `tril`. But an encoder needs no causal mask at all: it reads a finished sentence, and every token may look both ways. Pass the mask on as it is."
encoder_layer.mistake(
    "past hidden",
    PAST_HIDDEN,
    edit({ATTEND: f"self.self_attn(h, h, h, {TRIU} if mask is None else mask & {TRIU})"}, inside=FORWARD),
)

# What comes back, and what the layer is made of ----------------------------------------------------------------------------

AVERAGED = "The weights are averaged over the heads. The heads look at different things, and their mean shows none of them: return (batch, num_heads, seq_len, seq_len), as `self.self_attn` gives them."
encoder_layer.mistake(
    "weights averaged over the heads",
    AVERAGED,
    edit({RESULT: "(x, kept[0].mean(1)) if return_weights else x"}, inside=FORWARD),
    edit({RESULT: "(x, kept[0].mean(1, True)) if return_weights else x"}, inside=FORWARD),
)

NOT_RETURNED = "The weights are not returned. With `return_weights=True` there are two results, `(output, weights)`: without the weights nobody can see where a token looks."
encoder_layer.mistake(
    "weights not returned",
    NOT_RETURNED,
    edit({RESULT: "x"}, inside=FORWARD),
)

ALWAYS_RETURNED = "Two things come back unasked. Without `return_weights=True` only the tokens are returned, without even a None beside them, so that one layer can be called on what another returned."
encoder_layer.mistake(
    "weights always returned",
    ALWAYS_RETURNED,
    edit({RESULT: "(x, kept[0])"}, inside=FORWARD),
    edit({RESULT: "(x, kept[0] if return_weights else None)"}, inside=FORWARD),
)

UNASKED = "`return_weights` is read the wrong way round: the weights come back when they are not asked for, and do not when they are. With `return_weights=True` return `(output, weights)`, else the output alone."
encoder_layer.mistake(
    "return_weights the wrong way round",
    UNASKED,
    edit({RESULT: "x if return_weights else (x, kept[0])"}, inside=FORWARD),
)

encoder_layer.mistake(
    "None for the weights",
    "None comes back where the weights should be. A name that is set inside an inner function ends with that function: the `weights` outside is another variable, and stays as it was. Make an empty list "
    "outside and append the weights to it.",
    edit({RESULT: "(x, None) if return_weights else x"}, inside=FORWARD),
)

encoder_layer.mistake(
    "weights in a list",
    "The weights come back in a list of one. A layer has one tensor of weights: take it out of the list in which you kept it. Only the stack returns a list, one tensor for each layer.",
    edit({RESULT: "(x, kept) if return_weights else x"}, inside=FORWARD),
)

TURNED = "Output and weights have changed places. Everywhere in this course the order is `(output, weights)`."
encoder_layer.mistake(
    "weights and output swapped",
    TURNED,
    edit({RESULT: "(kept[0], x) if return_weights else x"}, inside=FORWARD),
)

encoder_layer.mistake(
    "weights returned after dropout",
    "The returned weights went through dropout. They are returned so that one can look at them, and should be complete, with rows that sum to 1: return the weights that `self.self_attn` gave you.",
    edit({RESULT: "(x, self.dropout(kept[0])) if return_weights else x"}, inside=FORWARD),
)

encoder_layer.mistake(
    "weights of a second call",
    "The weights are those of a second call, on other tokens than the first. Return the weights that made the output: attention is called once, on `x` in post-norm and on `norm1(x)` in pre-norm, and gives "
    "both. Inside the function that you hand to `add_norm`, append the weights to a list outside.",
    edit(
        {**WITH_GIVEN, RESULT: "(x, self.self_attn(given, given, given, mask)[1]) if return_weights else x"},
        inside=FORWARD,
    ),
    edit({RESULT: "(x, self.self_attn(x, x, x, mask)[1]) if return_weights else x"}, inside=FORWARD),
    edit(
        {f"x = {FEED_FORWARD}": f"kept = [self.self_attn(x, x, x, mask)[1]]; x = {FEED_FORWARD}"},
        inside=FORWARD,
    ),
    edit(
        {ATTEND: "self.self_attn(h, h, h, mask)[0], self.self_attn(h, h, h)[1]"},
        inside=FORWARD,
        says="The weights are those of a second call, without the mask. Return the weights that made the output: attention is called once and gives both. Inside the function that you hand to `add_norm`, append "
        "the weights to a list outside.",
    ),
)

encoder_layer.mistake(
    "no feed-forward network",
    "The feed-forward network is left out. A layer has two sublayers: attention moves information between tokens, the feed-forward network works on each by itself, and holds two thirds of the layer's "
    "parameters. Call `add_norm` a second time, with `self.feed_forward` and `norm2`. If you do already, see that its result becomes `x`.",
    edit(wrong_sublayer(FEED_FORWARD, pre="x", post="x"), inside=FORWARD),
)

encoder_layer.mistake(
    "attention in both steps",
    "Both steps are attention, and there is no feed-forward network. The first step is attention, with `norm1`; the second is the feed-forward network, with `norm2`. Look at what you pass to the second `add_norm`.",
    edit({FEED_FORWARD: ATTENTION}, inside=FORWARD),
    # The weights that come back are those of the second.
    edit({FEED_FORWARD: ATTENTION, RESULT: "(x, kept[-1]) if return_weights else x"}, inside=FORWARD),
)

encoder_layer.mistake(
    "feed-forward network before attention",
    "The feed-forward network comes before attention. The order is attention first: tokens read each other, then the network works on what each has read. Exchange the two steps.",
    edit(
        {
            ATTENTION: FEED_FORWARD,
            FEED_FORWARD: ATTENTION,
            WITH_NORM_1: "self.norm2,",
            WITH_NORM_2: "self.norm1,",
        },
        inside=FORWARD,
    ),
    edit({ATTENTION: FEED_FORWARD, FEED_FORWARD: ATTENTION}, inside=FORWARD),
)

encoder_layer.mistake(
    "one linear layer for the feed-forward network",
    "The feed-forward network is one linear layer. One linear layer is one matrix, and so are two linear layers without anything between them. The network has a wide middle and a ReLU there: "
    "`FeedForward(d_model, d_ff, dropout)`. Articles draw it as one box, and some then write one layer.",
    {MAKE_FEED_FORWARD: "nn.Linear(d_model, d_model)"},
    {
        f"self.feed_forward = {MAKE_FEED_FORWARD}": "self.linear = nn.Linear(d_model, d_model)",
        "self.feed_forward,": "self.linear,",
    },
    {MAKE_FEED_FORWARD: "nn.Sequential(nn.Linear(d_model, d_model), nn.ReLU())"},
)

encoder_layer.mistake(
    "d_ff ignored",
    "`d_ff` is not used. The feed-forward network is 4 · d_model wide whatever was asked for. That is the paper's choice; here the caller chooses. Pass `d_ff` on to `FeedForward`.",
    {MAKE_FEED_FORWARD: "FeedForward(d_model, 4 * d_model, dropout)"},
    edit(
        {MAKE_FEED_FORWARD: "FeedForward(d_model, d_model, dropout)"},
        says="`d_ff` is not used. The feed-forward network is as wide inside as outside, d_model, whatever was asked for. Its two linear layers go from d_model to `d_ff` and back: pass `d_ff` on to `FeedForward`.",
    ),
)

# Who repairs the article may write the network anew.
INSIDE = "FeedForward.forward"
BENT, NARROWED = "self.activation(self.linear1(x))", "self.linear2(self.dropout(widened))"

encoder_layer.mistake(
    "nothing between the two linear layers",
    "Nothing bends between the two linear layers of the feed-forward network. Two matrices in a row are one matrix, so the network can do no more than a single linear layer. The paper has a ReLU there: "
    "`FeedForward(d_model, d_ff, dropout)` brings it.",
    edit({BENT: "self.linear1(x)"}, inside=INSIDE),
)

encoder_layer.mistake(
    "another activation than ReLU",
    "The feed-forward network has another activation than ReLU. BERT and the GPTs have gelu; this layer is the paper's and equals torch's, which has ReLU unless told otherwise: `FeedForward(d_model, d_ff, dropout)`.",
    *(
        edit({BENT: f"{other}"}, inside=INSIDE)
        for other in (
            "gelu(self.linear1(x))",
            "gelu(self.linear1(x), 'tanh')",
            "torch.sigmoid(self.linear1(x))",
            "torch.tanh(self.linear1(x))",
            "nn.functional.silu(self.linear1(x))",
            "nn.functional.leaky_relu(self.linear1(x))",
        )
    ),
)

encoder_layer.mistake(
    "ReLU in another place",
    "The ReLU of the feed-forward network is not where it belongs, between the two linear layers and only there. After `linear2` it would let the network only ever add to a feature and never take away; before "
    "`linear1` it hides half of what the network reads. The order is `linear1`, ReLU, dropout, `linear2`.",
    edit({BENT: "self.linear1(x)", NARROWED: f"self.activation({NARROWED})"}, inside=INSIDE),
    edit({BENT: "self.linear1(self.activation(x))"}, inside=INSIDE),
    edit({NARROWED: f"self.activation({NARROWED})"}, inside=INSIDE),
    edit(
        {BENT: "self.linear1(x)", NARROWED: "self.dropout(self.activation(self.linear2(widened)))"},
        inside=INSIDE,
    ),
)
