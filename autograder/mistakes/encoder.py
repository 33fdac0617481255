"""Wrong ways of lesson 06. Several edits may carry one name: the same mistake is written in several ways.

What is wrong in both sublayers is an edit of `add_norm`; what is wrong in one of them stands in its place.
"""

from autograder.probing.mistake import Mistake

LAYER, STACK = "EncoderLayer", "Encoder"
INIT, FORWARD = "EncoderLayer.__init__", "EncoderLayer.forward"

ATTENTION, FEED_FORWARD = "add_norm(x, attend,", "add_norm(x, self.feed_forward,"
PRE, POST = "x + dropout(sublayer(norm(x)))", "norm(x + dropout(sublayer(x)))"
KEPT = "kept: list[Tensor] = []"
KEEP = "kept.append(weights)"
ATTEND = "self.self_attn(h, h, h, mask)"
RESULT = "(x, kept[0]) if return_weights else x"
NORM_1, NORM_2 = "self.norm1 = LayerNorm(d_model)", "self.norm2 = LayerNorm(d_model)"
MAKE_ATTENTION = "MultiHeadAttention(d_model, num_heads, dropout)"
MAKE_FEED_FORWARD = "FeedForward(d_model, d_ff, dropout)"
DROPOUT = "self.dropout = nn.Dropout(dropout)"


def wrong_sublayer(call: str, *, pre: str, post: str) -> dict[str, str]:
    """An edit of one of the two calls of `add_norm`: what pre- and post-norm compute there instead."""
    return {call: call.replace("add_norm", f"(lambda x, sub, norm, drop, first: {pre} if first else {post})")}


RIGHT_PRE, RIGHT_POST = "x + drop(sub(norm(x)))", "norm(x + drop(sub(x)))"
WHICH_FORM = (
    ("In pre-norm, ", "{wrong} if self.norm_first else {right}"),
    ("In post-norm, ", "{right} if self.norm_first else {wrong}"),
)


def in_one_form(
    name: str, says: str, call: str, wrong: dict[str, str], also: dict[str, str] | None = None
) -> tuple[Mistake, ...]:
    """A mistake around one sublayer, in pre-norm alone and in post-norm alone: who writes two branches can slip in one."""
    ways = (("In pre-norm, ", wrong["pre"], RIGHT_POST), ("In post-norm, ", RIGHT_PRE, wrong["post"]))
    return tuple(
        in_forward(name, only(form, says), (also or {}) | wrong_sublayer(call, pre=pre, post=post))
        for form, pre, post in ways
    )


def norms_in_one_form(name: str, says: str, first: str, second: str) -> tuple[Mistake, ...]:
    """Other norms than `norm1` and `norm2`, in pre-norm alone and in post-norm alone."""
    found = []
    for form, choice in WHICH_FORM:
        wanted = (
            (number, wrong) for number, wrong in (("self.norm1", first), ("self.norm2", second)) if number != wrong
        )
        swaps = {f"{right},": f"({choice.format(right=right, wrong=wrong)})," for right, wrong in wanted}
        found.append(in_forward(name, only(form, says), swaps))
    return tuple(found)


def only(form: str, says: str) -> str:
    """The same words, said of one form."""
    return f"{form}{says[0].lower()}{says[1:]}"


def wrong_add_norm(name: str, says: str, *, pre: str = PRE, post: str = POST) -> Mistake:
    """A mistake in both sublayers."""
    changed = {right: wrong for right, wrong in ((PRE, pre), (POST, post)) if right != wrong}
    return Mistake(name, of=LAYER, inside="add_norm", swaps=changed, says=says)


def in_forward(name: str, says: str, swaps: dict[str, str]) -> Mistake:
    """A mistake in the forward of the layer."""
    return Mistake(name, of=LAYER, inside=FORWARD, swaps=swaps, says=says)


def in_layer(name: str, says: str, swaps: dict[str, str]) -> Mistake:
    """A mistake in the constructor of the layer, or in both of its methods."""
    return Mistake(name, of=LAYER, swaps=swaps, says=says)


# Residuals ----------------------------------------------------------------------------

NO_FIRST = (
    "Nothing is added around attention. What the layer was given goes in and does not come out: only what attention made of it goes on, and a token forgets who it was. Add `x` to "
    "what attention returned, before the norm in post-norm."
)
UNADDED = {"pre": "drop(sub(norm(x)))", "post": "norm(drop(sub(x)))"}
no_first = in_forward("no residual around attention", NO_FIRST, wrong_sublayer(ATTENTION, **UNADDED))
no_first_pre, no_first_post = in_one_form("no residual around attention", NO_FIRST, ATTENTION, UNADDED)

NO_SECOND = (
    "Nothing is added around the feed-forward network. Its output replaces the tokens where it should be added to them. The layer adds twice: once after attention, once after the "
    "feed-forward network."
)
no_second = in_forward(
    "no residual around the feed-forward network", NO_SECOND, wrong_sublayer(FEED_FORWARD, **UNADDED)
)
no_second_pre, no_second_post = in_one_form(
    "no residual around the feed-forward network", NO_SECOND, FEED_FORWARD, UNADDED
)

NEITHER = (
    "Your layer adds nothing. Attention and the feed-forward network replace the tokens, where each should add to them: without the two additions there is no path on which a token, or a gradient, "
    'passes through a deep stack unchanged. Articles that list "attention, norm, feed-forward, norm" leave them out.'
)
neither = wrong_add_norm("no residuals", NEITHER, pre="dropout(sublayer(norm(x)))", post="norm(dropout(sublayer(x)))")
neither_pre = wrong_add_norm("no residuals", only("In pre-norm, ", NEITHER), pre="dropout(sublayer(norm(x)))")
neither_post = wrong_add_norm("no residuals", only("In post-norm, ", NEITHER), post="norm(dropout(sublayer(x)))")

OLD_RESIDUAL = (
    "The second addition takes the layer's input. By then the tokens have been through attention, and adding the old `x` throws away what attention added. The second residual starts from "
    "what came out of the first. Look which variable you add."
)
old_residual = in_forward(
    "second residual adds the layer's input",
    OLD_RESIDUAL,
    {
        KEPT: f"{KEPT}; given = x",
        **wrong_sublayer(FEED_FORWARD, pre="given + drop(sub(norm(x)))", post="norm(given + drop(sub(x)))"),
    },
)
old_residual_pre, old_residual_post = in_one_form(
    "second residual adds the layer's input",
    OLD_RESIDUAL,
    FEED_FORWARD,
    {"pre": "given + drop(sub(norm(x)))", "post": "norm(given + drop(sub(x)))"},
    also={KEPT: f"{KEPT}; given = x"},
)

WRONG_TENSOR = (
    "The feed-forward network reads the wrong tensor. It should read what came out of the first Add & Norm (in pre-norm: `norm2` of the sum), so that it works on what attention found, added to the token. Look "
    "at what you pass to `self.feed_forward`."
)


def wrong_tensor(pre: str, post: str, *extra: tuple[str, str]) -> Mistake:
    """The feed-forward network reads something else; the residual is right."""
    swaps = wrong_sublayer(FEED_FORWARD, pre=f"x + drop(sub({pre}))", post=f"norm(x + drop(sub({post})))")
    return in_forward("feed-forward network on the wrong tensor", WRONG_TENSOR, dict(extra) | swaps)


WITH_GIVEN = (KEPT, f"{KEPT}; given = x")
WITH_ATTENDED = (KEEP, f"{KEEP}; kept.append(output)")
reads_input = wrong_tensor("norm(given)", "given", WITH_GIVEN)
reads_input_pre = wrong_tensor("norm(given)", "x", WITH_GIVEN)
reads_input_post = wrong_tensor("norm(x)", "given", WITH_GIVEN)
reads_raw_input = wrong_tensor("given", "given", WITH_GIVEN)
reads_attended = wrong_tensor("norm(kept[1])", "kept[1]", WITH_ATTENDED)
reads_attended_post = wrong_tensor("norm(x)", "kept[1]", WITH_ATTENDED)
reads_raw_attended = wrong_tensor("kept[1]", "kept[1]", WITH_ATTENDED)
reads_first_normed = wrong_tensor("self.norm1(given)", "x", WITH_GIVEN)

added_twice = in_forward(
    "added twice",
    "The tokens are added twice. `add_norm` adds `x` already; a second `x +` around it doubles the tokens in pre-norm, and in post-norm leaves a sum that nothing normalizes. Take what `add_norm` returns as it is.",
    {ATTENTION: f"x + {ATTENTION}", FEED_FORWARD: f"x + {FEED_FORWARD}"},
)

ONE_ADDITION = (
    "The tokens are added twice. Each sublayer's output is added to them once, `x + dropout(sublayer(x))`, and if you use `add_norm`, it does that: the function that you hand to it returns what attention or the feed-forward "
    "network made, and nothing else."
)


def added_inside(*calls: str) -> Mistake:
    """These sublayers add for themselves, and are added to as well."""
    swaps = {call: f"(lambda x, sub, *rest: add_norm(x, lambda h: h + sub(h), *rest)){call[8:]}" for call in calls}
    return in_forward("added twice", ONE_ADDITION, swaps)


added_by_attention, added_by_feed_forward = added_inside(ATTENTION), added_inside(FEED_FORWARD)
added_by_both = added_inside(ATTENTION, FEED_FORWARD)
doubled = wrong_add_norm(
    "added twice", ONE_ADDITION, pre="x + x + dropout(sublayer(norm(x)))", post="norm(x + x + dropout(sublayer(x)))"
)

NOT_KEPT = (
    "What `add_norm` returns is not kept. It changes nothing by itself: it returns new tokens, and they are lost unless they get a name. Write `x = add_norm(x, ...)`, in both steps, "
    "so that the second reads what the first has made."
)
neither_kept = in_forward(
    "result of add_norm not kept", NOT_KEPT, {f"x = {ATTENTION}": ATTENTION, f"x = {FEED_FORWARD}": FEED_FORWARD}
)
first_not_kept = in_forward("result of add_norm not kept", NOT_KEPT, {f"x = {ATTENTION}": ATTENTION})

EXCHANGED = (
    "The norm and the dropout have changed places. Both are functions of one tensor, so nothing complains, but now what a sublayer made is normalized before it is added, and the sum is not. "
    "`add_norm` takes the norm first: `add_norm(x, sublayer, norm, dropout, norm_first)`."
)
NORM_DROPOUT_1 = {"self.norm1, self.dropout": "self.dropout, self.norm1"}
NORM_DROPOUT_2 = {"self.norm2, self.dropout": "self.dropout, self.norm2"}
norm_for_dropout = in_forward("norm and dropout exchanged", EXCHANGED, NORM_DROPOUT_1 | NORM_DROPOUT_2)
norm_for_dropout_1 = in_forward("norm and dropout exchanged", EXCHANGED, NORM_DROPOUT_1)
norm_for_dropout_2 = in_forward("norm and dropout exchanged", EXCHANGED, NORM_DROPOUT_2)

IN_PLACE = "A tensor is written over while it is still needed. `x += ...` and methods that end in `_` change the very tensor the caller passed in, or one that the gradient needs later. Write `x = x + ...`: that makes a new one."
in_place = wrong_add_norm(
    "written over in place",
    IN_PLACE,
    pre="x.add_(dropout(sublayer(norm(x))))",
    post="norm(x.add_(dropout(sublayer(x))))",
)
in_place_pre = wrong_add_norm("written over in place", IN_PLACE, pre="x.add_(dropout(sublayer(norm(x))))")
in_place_first = in_forward(
    "written over in place",
    IN_PLACE,
    wrong_sublayer(ATTENTION, pre="x.add_(drop(sub(norm(x))))", post="norm(x.add_(drop(sub(x))))"),
)
in_place_second = in_forward(
    "written over in place",
    IN_PLACE,
    wrong_sublayer(FEED_FORWARD, pre="x.add_(drop(sub(norm(x))))", post="norm(x.add_(drop(sub(x))))"),
)

# Norms ----------------------------------------------------------------------------

SWAPPED = (
    "`norm1` and `norm2` have changed places. Both are LayerNorms of the same width, so no error warns you; but each learns a scale and a shift of its own, and weights from elsewhere do not fit. "
    "`norm1` belongs to attention, `norm2` to the feed-forward network."
)
swapped = in_forward("norms swapped", SWAPPED, {"self.norm1,": "self.norm2,", "self.norm2,": "self.norm1,"})
swapped_pre, swapped_post = norms_in_one_form("norms swapped", SWAPPED, "self.norm2", "self.norm1")

SHARED = (
    "One norm serves both sublayers. They work on different numbers, and each needs a scale and a shift of its own; with one norm in two places, what suits the one spoils the other. `norm1` belongs to attention, "
    "`norm2` to the feed-forward network."
)
first_for_both = in_forward("one norm for both sublayers", SHARED, {"self.norm2,": "self.norm1,"})
second_for_both = in_forward("one norm for both sublayers", SHARED, {"self.norm1,": "self.norm2,"})
first_in_pre, first_in_post = norms_in_one_form("one norm for both sublayers", SHARED, "self.norm1", "self.norm1")
second_in_pre, second_in_post = norms_in_one_form("one norm for both sublayers", SHARED, "self.norm2", "self.norm2")
one_object = in_layer("one norm for both sublayers", SHARED, {NORM_2: "self.norm2 = self.norm1"})
one_norm = in_layer(
    "one norm for both sublayers",
    SHARED,
    {
        NORM_1: "self.norm = LayerNorm(d_model)",
        NORM_2: "pass",
        "self.norm1,": "self.norm,",
        "self.norm2,": "self.norm,",
    },
)

LEFT_OUT = "A norm is left out. The layer has two, one for each sublayer: in post-norm each normalizes a sum, in pre-norm what a sublayer reads. One of yours is made and never used, or both. Look where `norm1` and `norm2` act."
no_norm_1 = in_forward("a norm left out", LEFT_OUT, {"self.norm1,": "(lambda h: h),"})
no_norm_2 = in_forward("a norm left out", LEFT_OUT, {"self.norm2,": "(lambda h: h),"})
no_norm_2_in_pre = in_forward(
    "a norm left out",
    LEFT_OUT,
    wrong_sublayer(FEED_FORWARD, pre="x + drop(sub(x))", post="norm(x + drop(sub(x)))"),
)
no_norms = in_forward("a norm left out", LEFT_OUT, {"self.norm1,": "(lambda h: h),", "self.norm2,": "(lambda h: h),"})

NO_NORM = "(lambda h: h)"
_, no_norm_1_in_post = norms_in_one_form("a norm left out", LEFT_OUT, NO_NORM, "self.norm2")
_, no_norm_2_in_post = norms_in_one_form("a norm left out", LEFT_OUT, "self.norm1", NO_NORM)
no_norms_in_pre, no_norms_in_post = norms_in_one_form("a norm left out", LEFT_OUT, NO_NORM, NO_NORM)

IGNORED = "`norm_first` changes nothing. Your layer does the same whatever it says. False is post-norm, `norm(x + sublayer(x))`; True is pre-norm, `x + sublayer(norm(x))`. `add_norm` takes it as its last argument."
always_post = in_layer("norm_first ignored", IGNORED, {"self.norm_first = norm_first": "self.norm_first = False"})
always_pre = in_layer("norm_first ignored", IGNORED, {"self.norm_first = norm_first": "self.norm_first = True"})
other_way_round = in_layer(
    "norm_first the wrong way round",
    "`norm_first` is read the wrong way round. True should be pre-norm, where a sublayer reads normalized tokens; False is post-norm, as in the paper, where the sum is normalized.",
    {"self.norm_first = norm_first": "self.norm_first = not norm_first"},
)

BRANCH_NORMED = "The norm comes before the addition. In post-norm you normalize what the sublayer made and add it to `x`; it is the sum that is normalized, `norm(x + sublayer(x))`. As it stands the tokens grow from layer to layer."
branch_normed = wrong_add_norm("norm before the addition", BRANCH_NORMED, post="x + norm(dropout(sublayer(x)))")
NORMED_BRANCH = {"pre": RIGHT_PRE, "post": "x + norm(drop(sub(x)))"}
first_branch_normed = in_forward("norm before the addition", BRANCH_NORMED, wrong_sublayer(ATTENTION, **NORMED_BRANCH))
second_branch_normed = in_forward(
    "norm before the addition", BRANCH_NORMED, wrong_sublayer(FEED_FORWARD, **NORMED_BRANCH)
)

SUM_NORMED = (
    "In pre-norm the sum is normalized as well. The point of pre-norm is a path on which nothing happens to the tokens but additions: only what a sublayer reads is normalized. The one norm of the sums "
    "stands at the end of the whole stack."
)
sum_normed = wrong_add_norm("sum normalized in pre-norm", SUM_NORMED, pre="norm(x + dropout(sublayer(norm(x))))")
NORMED_SUM = {"pre": f"norm({RIGHT_PRE})", "post": RIGHT_POST}
first_sum_normed = in_forward("sum normalized in pre-norm", SUM_NORMED, wrong_sublayer(ATTENTION, **NORMED_SUM))
second_sum_normed = in_forward("sum normalized in pre-norm", SUM_NORMED, wrong_sublayer(FEED_FORWARD, **NORMED_SUM))

STREAM_NORMED = "In pre-norm you add to the normalized tokens. What is added to is `x` as it came in; only the sublayer reads `norm(x)`. If you wrote `x = norm(x)`, the old `x` is gone: give the normalized one another name."
stream_normed = wrong_add_norm(
    "normalized tokens added in pre-norm", STREAM_NORMED, pre="norm(x) + dropout(sublayer(norm(x)))"
)
NORMED_STREAM = {"pre": "norm(x) + drop(sub(norm(x)))", "post": RIGHT_POST}
first_stream_normed = in_forward(
    "normalized tokens added in pre-norm", STREAM_NORMED, wrong_sublayer(ATTENTION, **NORMED_STREAM)
)
second_stream_normed = in_forward(
    "normalized tokens added in pre-norm", STREAM_NORMED, wrong_sublayer(FEED_FORWARD, **NORMED_STREAM)
)
normed_twice = wrong_add_norm(
    "normalized once more",
    "A norm is applied once more than it should be. `add_norm` applies the norm that it is given, before or after; another one around it normalizes a second time. Take what `add_norm` returns as it is.",
    pre="norm(x + dropout(sublayer(norm(x))))",
    post="norm(norm(x + dropout(sublayer(x))))",
)

KEYS_RAW = (
    "In pre-norm, keys and values are not normalized. Attention reads normalized tokens in all three places; with `x` for the keys or the values, a query is compared with tokens on another scale. Inside the function that you give to "
    "`add_norm`, use its own argument three times, not `x`."
)
keys_raw = in_forward(
    "keys or values not normalized",
    KEYS_RAW,
    {KEPT: f"{KEPT}; given = x", ATTEND: "self.self_attn(h, given, given, mask)"},
)
values_raw = in_forward(
    "keys or values not normalized", KEYS_RAW, {KEPT: f"{KEPT}; given = x", ATTEND: "self.self_attn(h, h, given, mask)"}
)

query_raw = in_forward(
    "query not normalized",
    "In pre-norm the query is not normalized. Attention reads normalized tokens in all three places, and `norm1(x)` stands in two of yours. Inside the function that you give to `add_norm`, use its own argument three "
    "times, not `x`.",
    {KEPT: f"{KEPT}; given = x", ATTEND: "self.self_attn(given, h, h, mask)"},
)

raw_in_pre = in_forward(
    "attention reads raw tokens in pre-norm",
    "In pre-norm attention reads the tokens as they are. It should read them normalized. `add_norm` calls your function with what it has to read, which is `norm(x)` in pre-norm: use the function's own argument, three times, and not the `x` of `forward`.",
    {ATTEND: "self.self_attn(x, x, x, mask)"},
)

ONE_OBEYS = "Only one of the two steps obeys `norm_first`. Both `add_norm`s need it as their last argument; without it they are post-norm, and the layer is half one thing and half the other."
first_stays_post = in_forward(
    "norm_first in one step only",
    ONE_OBEYS,
    wrong_sublayer(ATTENTION, pre="norm(x + drop(sub(x)))", post="norm(x + drop(sub(x)))"),
)
second_stays_post = in_forward(
    "norm_first in one step only",
    ONE_OBEYS,
    wrong_sublayer(FEED_FORWARD, pre="norm(x + drop(sub(x)))", post="norm(x + drop(sub(x)))"),
)

# Dropout ----------------------------------------------------------------------------

NO_DROPOUT = "A dropout is left out. What a sublayer made goes through `self.dropout` before it is added: once after attention, once after the feed-forward network. In evaluation nothing shows this; in training it does."
no_dropout = in_layer("a dropout left out", NO_DROPOUT, {DROPOUT: "self.dropout = nn.Dropout(0.0)"})
no_first_dropout = in_forward(
    "a dropout left out",
    NO_DROPOUT,
    wrong_sublayer(ATTENTION, pre="x + sub(norm(x))", post="norm(x + sub(x))"),
)
no_second_dropout = in_forward(
    "a dropout left out",
    NO_DROPOUT,
    wrong_sublayer(FEED_FORWARD, pre="x + sub(norm(x))", post="norm(x + sub(x))"),
)

NO_DROP = {"pre": "x + sub(norm(x))", "post": "norm(x + sub(x))"}
no_first_dropout_pre, no_first_dropout_post = in_one_form("a dropout left out", NO_DROPOUT, ATTENTION, NO_DROP)
no_second_dropout_pre, no_second_dropout_post = in_one_form("a dropout left out", NO_DROPOUT, FEED_FORWARD, NO_DROP)
no_dropout_pre = wrong_add_norm("a dropout left out", only("In pre-norm, ", NO_DROPOUT), pre="x + sublayer(norm(x))")
no_dropout_post = wrong_add_norm("a dropout left out", only("In post-norm, ", NO_DROPOUT), post="norm(x + sublayer(x))")

SUM_DROPPED = "Dropout acts on the sum. It sets features of the tokens themselves to zero, and they are gone for all layers to come. Only what the sublayer made goes through dropout: `x + dropout(sublayer(...))`."
sum_dropped = wrong_add_norm(
    "dropout on the sum",
    SUM_DROPPED,
    pre="dropout(x + sublayer(norm(x)))",
    post="norm(dropout(x + sublayer(x)))",
)
sum_dropped_pre = wrong_add_norm(
    "dropout on the sum", only("In pre-norm, ", SUM_DROPPED), pre="dropout(x + sublayer(norm(x)))"
)
sum_dropped_post = wrong_add_norm(
    "dropout on the sum", only("In post-norm, ", SUM_DROPPED), post="norm(dropout(x + sublayer(x)))"
)
DROPPED_SUM = {"pre": "drop(x + sub(norm(x)))", "post": "norm(drop(x + sub(x)))"}
first_sum_dropped = in_forward("dropout on the sum", SUM_DROPPED, wrong_sublayer(ATTENTION, **DROPPED_SUM))
second_sum_dropped = in_forward("dropout on the sum", SUM_DROPPED, wrong_sublayer(FEED_FORWARD, **DROPPED_SUM))

AFTER_NORM = (
    "Dropout comes after the norm. The order is sublayer, dropout, addition, norm, and that twice. As it stands features of finished tokens are set to zero, the residual's too. "
    'Articles that list "attention, norm, feed-forward, dropout, norm, dropout" have it so.'
)
after_norm = wrong_add_norm("dropout after the norm", AFTER_NORM, post="dropout(norm(x + sublayer(x)))")
after_norm_and_sum = wrong_add_norm(
    "dropout after the norm",
    AFTER_NORM,
    pre="dropout(x + sublayer(norm(x)))",
    post="dropout(norm(x + sublayer(x)))",
)
after_both_norms = wrong_add_norm(
    "dropout after the norm", AFTER_NORM, pre="x + sublayer(dropout(norm(x)))", post="dropout(norm(x + sublayer(x)))"
)
after_norm_and_none = wrong_add_norm(
    "dropout after the norm", AFTER_NORM, pre="x + sublayer(norm(x))", post="dropout(norm(x + sublayer(x)))"
)
after_norm_too = wrong_add_norm("dropout after the norm", AFTER_NORM, post="dropout(norm(x + dropout(sublayer(x))))")

skip_dropped = wrong_add_norm(
    "dropout on the residual",
    "Dropout acts on the residual. The tokens that are added to are to pass as they are; it is what the sublayer made that goes through dropout, `x + dropout(sublayer(...))`.",
    pre="dropout(x) + sublayer(norm(x))",
    post="norm(dropout(x) + sublayer(x))",
)
read_dropped = wrong_add_norm(
    "dropout on what a sublayer reads",
    "Dropout acts on what a sublayer reads. It comes after the sublayer, on what the sublayer made, before that is added: `x + dropout(sublayer(...))`.",
    pre="x + sublayer(dropout(norm(x)))",
    post="norm(x + sublayer(dropout(x)))",
)
ALWAYS_DROPPED = "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`, and then a trained model answers differently each time. Use the `nn.Dropout` of the constructor, or pass `training=self.training`."
always_dropped = in_layer(
    "dropout in evaluation",
    ALWAYS_DROPPED,
    {DROPOUT: "self.dropout = lambda h: nn.functional.dropout(h, dropout)"},
)
ALWAYS = {
    "pre": "x + nn.functional.dropout(sub(norm(x)), drop.p)",
    "post": "norm(x + nn.functional.dropout(sub(x), drop.p))",
}
first_always_dropped = in_forward("dropout in evaluation", ALWAYS_DROPPED, wrong_sublayer(ATTENTION, **ALWAYS))
second_always_dropped = in_forward("dropout in evaluation", ALWAYS_DROPPED, wrong_sublayer(FEED_FORWARD, **ALWAYS))

NOT_HANDED_ON = (
    "Dropout is not handed to the parts. It acts at four places in a layer: on the attention weights, on what attention adds, inside the feed-forward network, on what that adds. The first and the third belong to "
    "`MultiHeadAttention` and `FeedForward`, which take it as their last argument."
)
NO_HAND_1 = {MAKE_ATTENTION: "MultiHeadAttention(d_model, num_heads)"}
NO_HAND_2 = {MAKE_FEED_FORWARD: "FeedForward(d_model, d_ff)"}
attention_not_handed = in_layer("dropout not handed to the parts", NOT_HANDED_ON, NO_HAND_1)
feed_forward_not_handed = in_layer("dropout not handed to the parts", NOT_HANDED_ON, NO_HAND_2)
neither_handed = in_layer("dropout not handed to the parts", NOT_HANDED_ON, NO_HAND_1 | NO_HAND_2)
no_share = in_layer(
    "dropout not handed to the parts",
    "`nn.Dropout()` without a number drops half of everything, whatever was asked for. Hand it the layer's own: `nn.Dropout(dropout)`.",
    {DROPOUT: "self.dropout = nn.Dropout()"},
)

# The mask ----------------------------------------------------------------------------

NO_MASK = "The mask does not reach attention. Every token looks at every other, padding included, and nothing fails: the padding just becomes part of what the tokens say. Pass `mask` on to `self.self_attn`, whatever `norm_first` is."
no_mask = in_forward("mask not passed on", NO_MASK, {ATTEND: "self.self_attn(h, h, h)"})
no_mask_post = in_forward(
    "mask not passed on", NO_MASK, {ATTEND: "self.self_attn(h, h, h, mask if self.norm_first else None)"}
)
no_mask_pre = in_forward(
    "mask not passed on", NO_MASK, {ATTEND: "self.self_attn(h, h, h, None if self.norm_first else mask)"}
)

INVERTED = 'The mask is inverted on its way. In this course True means "may look", for the layer and for `self.self_attn` alike; only torch\'s modules mean the opposite. Pass the mask on as it is.'
QUERIES = "The mask hides queries instead of keys. (batch, 1, 1, seq_len) says which tokens may be read, and stands along the last dimension; transposed, it blinds the padded tokens and lets everybody read them. Pass the mask on as it is."
QUERIES_TOO = "The mask hides queries as well as keys. What a padded token computes is thrown away later, so it need not be blinded, and with a mask of another form than padding, yours hides what should be seen. Pass the mask on as it is."
CAUSAL = "No token sees those after it: this encoder is causal. An encoder reads a finished sentence, and every token may look both ways; hiding the future is for a decoder, which writes. If a mask is wanted, the caller passes one."
TRIL = "h.new_ones(h.size(1), h.size(1)).tril().bool()"
CAUSAL_WITH_MASK = "With a mask, no token sees those after it: the mask given is made causal. An encoder reads a finished sentence, and every token may look both ways, at whatever the mask allows. Pass the mask on as it is."
STRICTLY_CAUSAL = "A token sees only those before it, and not even itself: this encoder is causal. An encoder reads a finished sentence, and every token may look both ways; hiding the future is for a decoder, which writes, and even there a token sees itself."
PAST_HIDDEN = "No token sees those before it. A causal mask would be the other triangle, `tril`, and an encoder has none at all: it reads a finished sentence, and every token may look both ways. Pass the mask on as it is."


def masked(name: str, says: str, mask: str) -> Mistake:
    """Another mask than the given one reaches attention, in the layer."""
    return in_forward(name, says, {ATTEND: f"self.self_attn(h, h, h, {mask})"})


inverted = masked("mask inverted", INVERTED, "None if mask is None else ~mask")
on_queries = masked("mask on the queries", QUERIES, "None if mask is None else mask.mT")
on_queries_too = masked("mask on the queries as well", QUERIES_TOO, "None if mask is None else mask & mask.mT")
causal = masked("causal", CAUSAL, f"{TRIL} if mask is None else mask & {TRIL}")
causal_instead = masked("causal", CAUSAL, TRIL)
causal_by_default = masked("causal", CAUSAL, f"{TRIL} if mask is None else mask")
causal_with_mask = masked("causal", CAUSAL_WITH_MASK, f"None if mask is None else mask & {TRIL}")
STRICT_TRIL, TRIU = TRIL.replace("tril()", "tril(-1)"), TRIL.replace("tril()", "triu()")
strictly_causal = masked("causal", STRICTLY_CAUSAL, f"{STRICT_TRIL} if mask is None else mask & {STRICT_TRIL}")
past_hidden = masked("past hidden", PAST_HIDDEN, f"{TRIU} if mask is None else mask & {TRIU}")

# What comes back, and what the layer is made of ----------------------------------------------------------------------------

AVERAGED = "The weights are averaged over the heads. The heads look at different things, and their mean shows none of them: return (batch, num_heads, seq_len, seq_len), as `self.self_attn` gives them."
averaged = in_forward(
    "weights averaged over the heads", AVERAGED, {RESULT: "(x, kept[0].mean(1)) if return_weights else x"}
)
averaged_kept = in_forward(
    "weights averaged over the heads", AVERAGED, {RESULT: "(x, kept[0].mean(1, True)) if return_weights else x"}
)
NOT_RETURNED = "The weights are not returned. Asked with `return_weights=True` there are two results, `(output, weights)`: without them nobody can see where a token looks."
ALWAYS_RETURNED = "Two things come back unasked. Without `return_weights=True` the tokens alone are returned, so that one layer can be called on what another returned; not even a None beside them."
UNASKED = "`return_weights` is read the wrong way round: the weights come back when nobody asks for them, and stay away when somebody does. With `return_weights=True` return `(output, weights)`, else the output alone."
TURNED = "Output and weights have changed places. It is `(output, weights)` everywhere in this course, in that order."
not_returned = in_forward("weights not returned", NOT_RETURNED, {RESULT: "x"})
always_returned = in_forward("weights always returned", ALWAYS_RETURNED, {RESULT: "(x, kept[0])"})
always_a_pair = in_forward(
    "weights always returned", ALWAYS_RETURNED, {RESULT: "(x, kept[0] if return_weights else None)"}
)
unasked = in_forward("return_weights the wrong way round", UNASKED, {RESULT: "x if return_weights else (x, kept[0])"})
no_weights = in_forward(
    "None for the weights",
    "None comes back where the weights should be. A name that is set inside an inner function ends with that function: the `weights` outside is another one, and stays as it was. Make an empty list outside and append the weights to it.",
    {RESULT: "(x, None) if return_weights else x"},
)
listed = in_forward(
    "weights in a list",
    "The weights come back in a list of one. A layer has one tensor of weights: take it out of the list in which you kept it. It is the stack that returns a list, one tensor for each layer.",
    {RESULT: "(x, kept) if return_weights else x"},
)
turned = in_forward("weights and output swapped", TURNED, {RESULT: "(kept[0], x) if return_weights else x"})
weights_dropped = in_forward(
    "weights returned after dropout",
    "The returned weights went through dropout. They are for looking at, and should be those of all tokens, with rows that sum to 1: return what `self.self_attn` gave you.",
    {RESULT: "(x, self.dropout(kept[0])) if return_weights else x"},
)

ASKED_ANEW = (
    "The weights are those of a second call, on other tokens than the first. What comes back should be the very weights that made the output: attention is called once, on `x` in post-norm and on `norm1(x)` in "
    "pre-norm, and gives both. Inside the function that you hand to `add_norm`, append the weights to a list outside."
)
asked_of_input, asked_of_output, asked_in_between = (
    in_forward("weights of a second call", ASKED_ANEW, swaps)
    for swaps in (
        {
            KEPT: f"{KEPT}; given = x",
            RESULT: "(x, self.self_attn(given, given, given, mask)[1]) if return_weights else x",
        },
        {RESULT: "(x, self.self_attn(x, x, x, mask)[1]) if return_weights else x"},
        {f"x = {FEED_FORWARD}": f"kept = [self.self_attn(x, x, x, mask)[1]]; x = {FEED_FORWARD}"},
    )
)

asked_without_mask = in_forward(
    "weights of a second call",
    "The weights are those of a second call, and the mask was not passed to that. What comes back should be the very weights that made the output: attention is called once and gives both. Inside the function that you hand to "
    "`add_norm`, append the weights to a list outside.",
    {ATTEND: "self.self_attn(h, h, h, mask)[0], self.self_attn(h, h, h)[1]"},
)

no_feed_forward = in_forward(
    "no feed-forward network",
    "The feed-forward network is left out. A layer has two sublayers: attention moves information between tokens, the feed-forward network works on each by itself, and holds two thirds of the layer's parameters. "
    "Call `add_norm` a second time, with `self.feed_forward` and `norm2`; and if you do, see that what it returns becomes `x`.",
    wrong_sublayer(FEED_FORWARD, pre="x", post="x"),
)

attention_twice = in_forward(
    "attention in both steps",
    "Both steps are attention, and there is no feed-forward network. The first step is attention, with `norm1`; the second is the feed-forward network, with `norm2`. Look at what you pass to the second `add_norm`.",
    {FEED_FORWARD: ATTENTION},
)

WRONG_ORDER = "The feed-forward network comes before attention. The order is attention first: tokens read each other, then each works on what it has read. Exchange the two steps."
wrong_order = in_forward(
    "feed-forward network before attention",
    WRONG_ORDER,
    {ATTENTION: FEED_FORWARD, FEED_FORWARD: ATTENTION, "self.norm1,": "self.norm2,", "self.norm2,": "self.norm1,"},
)
wrong_order_of_sublayers = in_forward(
    "feed-forward network before attention", WRONG_ORDER, {ATTENTION: FEED_FORWARD, FEED_FORWARD: ATTENTION}
)

ONE_LINEAR = (
    "The feed-forward network is one linear layer. Two linear layers without anything in between would still be one matrix; what makes it a network is the wide middle and the ReLU there: `FeedForward(d_model, d_ff, dropout)`. "
    "Articles draw one box and write one layer."
)
one_linear = in_layer(
    "one linear layer for the feed-forward network", ONE_LINEAR, {MAKE_FEED_FORWARD: "nn.Linear(d_model, d_model)"}
)
one_linear_other_name = in_layer(
    "one linear layer for the feed-forward network",
    ONE_LINEAR,
    {
        f"self.feed_forward = {MAKE_FEED_FORWARD}": "self.linear = nn.Linear(d_model, d_model)",
        "self.feed_forward,": "self.linear,",
    },
)
one_linear_and_relu = in_layer(
    "one linear layer for the feed-forward network",
    ONE_LINEAR,
    {MAKE_FEED_FORWARD: "nn.Sequential(nn.Linear(d_model, d_model), nn.ReLU())"},
)

other_width = in_layer(
    "d_ff ignored",
    "`d_ff` is not used. The feed-forward network is 4 · d_model wide whatever was asked for; that is the paper's choice, not a law. Pass `d_ff` on to `FeedForward`.",
    {MAKE_FEED_FORWARD: "FeedForward(d_model, 4 * d_model, dropout)"},
)

# Encoder ----------------------------------------------------------------------------

MAKE = "EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)"
COUNT = "range(num_layers)"
FINAL = "LayerNorm(d_model) if norm_first else None"
START = "all_weights = []"
LOOP = "for layer in self.layers:"
CALL = "layer(x, mask, return_weights=True)"
COLLECT = "all_weights.append(weights)"
APPLY = "x = self.norm(x)"
RETURN = "(x, all_weights) if return_weights else x"
NORM_IF_ANY = "x = x if self.norm is None else self.norm(x)"


def in_stack(name: str, says: str, swaps: dict[str, str]) -> Mistake:
    """A mistake in the stack."""
    return Mistake(name, of=STACK, swaps=swaps, says=says)


ONE_LAYER = (
    "All layers are one and the same. `[layer] * n` holds one layer n times, and it learns one set of numbers for all depths. Each layer of the stack has parameters of its own: make a new `EncoderLayer` for each, "
    "and run each once."
)
repeated = in_stack("one layer for all", ONE_LAYER, {f"{MAKE} for _ in {COUNT}": f"[{MAKE}] * num_layers"})
same_layer_run = in_stack("one layer for all", ONE_LAYER, {LOOP: "for layer in [self.layers[0]] * len(self.layers):"})
one_made = in_stack(
    "one layer for all",
    ONE_LAYER,
    {
        f"{MAKE} for _ in {COUNT}": f"[{MAKE}]",
        f"self.norm = {FINAL}": f"self.norm = {FINAL}; self.times = num_layers",
        LOOP: "for layer in [self.layers[0]] * self.times:",
    },
)

plain_list = in_stack(
    "layers in a plain list",
    "The layers are in a plain list. torch does not look into lists: their parameters are missing from `parameters()`, no optimizer trains them, `eval()` does not reach them and saving forgets them. Use `nn.ModuleList`.",
    {"nn.ModuleList(": "list("},
)

COUNTED = "The number of layers is not `num_layers`. Count what your constructor makes: a loop over `range(num_layers)` makes as many as were asked for."
one_layer = in_stack("wrong number of layers", COUNTED, {COUNT: "range(1)"})
one_too_few = in_stack("wrong number of layers", COUNTED, {COUNT: "range(num_layers - 1)"})
one_too_many = in_stack("wrong number of layers", COUNTED, {COUNT: "range(num_layers + 1)"})
six_layers = in_stack("wrong number of layers", COUNTED, {COUNT: "range(6)"})

norm_in_post = in_stack(
    "final norm in post-norm",
    "There is a final norm in post-norm. There the last layer ends with a norm already, and the paper has no other (nn.Transformer has, which is why its weights do not fit the paper's model). `self.norm` is None unless `norm_first`.",
    {FINAL: "LayerNorm(d_model)"},
)

norm_without_use = in_stack(
    "final norm in post-norm",
    "A final norm is made in post-norm too, and never used there. Its numbers would be saved with the model, counted among the parameters and looked for when weights from elsewhere are loaded. `self.norm` is None unless `norm_first`.",
    {
        f"self.norm = {FINAL}": "self.norm = LayerNorm(d_model); self.last = norm_first",
        "if self.norm is not None": "if self.last",
    },
)

NO_FINAL = (
    "In pre-norm there is no norm at the end. Each layer added to the tokens what it made of normalized ones, and nobody has normalized the sums; whoever reads the encoder's output would get numbers that grow with depth. "
    "`self.norm`, one LayerNorm, comes after the last layer."
)
no_final_norm = in_stack("no final norm in pre-norm", NO_FINAL, {FINAL: "None"})
final_norm_unused = in_stack("no final norm in pre-norm", NO_FINAL, {APPLY: "pass"})
final_norm_turned = in_stack(
    "final norm the wrong way round",
    "The final norm is there in post-norm and missing in pre-norm. It is the other way round: post-norm layers end with a norm, pre-norm layers do not, so pre-norm needs one at the end of the stack.",
    {FINAL: "None if norm_first else LayerNorm(d_model)"},
)

EVERY_LAYER = "The final norm acts after every layer. In pre-norm the tokens pass from layer to layer as plain sums, and are normalized once, when all layers are through. Move the norm out of the loop."
norm_in_loop = in_stack(
    "final norm after every layer", EVERY_LAYER, {COLLECT: f"{COLLECT}; {NORM_IF_ANY}", APPLY: "pass"}
)
norm_in_loop_too = in_stack("final norm after every layer", EVERY_LAYER, {COLLECT: f"{COLLECT}; {NORM_IF_ANY}"})
norm_at_the_start = in_stack(
    "final norm before the layers",
    "The final norm acts before the first layer. Each pre-norm layer normalizes what it reads by itself; what nobody normalizes is what comes out of the last one. Move the norm behind the loop.",
    {START: f"{START}; {NORM_IF_ANY}", APPLY: "pass"},
)
norm_of_a_layer = in_stack(
    "final norm shared with a layer",
    "The final norm is one of a layer's. It normalizes other numbers than `norm2` of the last layer does, and needs a scale and a shift of its own: make a new `LayerNorm(d_model)`.",
    {FINAL: "self.layers[-1].norm2 if norm_first else None"},
)

backwards = in_stack(
    "layers in reverse",
    "The layers run in reverse. `self.layers[0]` is the first to read the tokens; untrained nobody would notice, but trained weights sit in the wrong places.",
    {LOOP: "for layer in reversed(self.layers):"},
)
from_the_input = in_stack(
    "every layer reads the input",
    "Every layer reads the input. What one layer gives back has to be what the next one reads; as it stands all but the last compute for nothing. The loop must write into the variable that it reads.",
    {START: f"{START}; given = x", CALL: "layer(given, mask, return_weights=True)"},
)

UNKEPT = "What a layer returns is not kept. A layer changes nothing by itself: it returns new tokens, and they are lost unless they get a name. Write `x, weights = layer(x, ...)`, so that the next layer reads them."
unkept = in_stack("result of a layer not kept", UNKEPT, {f"x, weights = {CALL}": f"_, weights = {CALL}"})
unkept_without_weights = in_stack(
    "result of a layer not kept",
    only("Without `return_weights`, ", UNKEPT.replace("x, weights = layer(x, ...)", "x = layer(x, mask)")),
    {f"x, weights = {CALL}": f"y, weights = {CALL}; x = y if return_weights else x"},
)

FIRST_ONLY = "Only the first layer runs. Something ends the loop after one round, most often a `return` that is indented one step too far. All layers run, then the result is returned."
first_only = in_stack("only the first layer runs", FIRST_ONLY, {COLLECT: f"{COLLECT}; break"})
first_only_unnormed = in_stack("only the first layer runs", FIRST_ONLY, {COLLECT: f"{COLLECT}; break", APPLY: "pass"})
first_only_without_weights = in_stack(
    "only the first layer runs",
    "Without `return_weights` only the first layer runs. A `return` ends the loop after one round: it is indented one step too far. All layers run, then the result is returned.",
    {
        LOOP: "for layer in (self.layers if return_weights else self.layers[:1]):",
        APPLY: "x = self.norm(x) if return_weights else x",
    },
)

around_layers = in_stack(
    "residual around whole layers",
    "You add once more around each layer. The additions are inside, two in every layer; another `x +` doubles the tokens. Take what a layer returns as it is.",
    {f"x, weights = {CALL}": f"added, weights = {CALL}; x = x + added"},
)

mask_once = in_stack(
    "mask in the first layer only",
    "Only the first layer gets the mask. From the second on, all tokens read the padding, and it leaks into every sentence. Pass the mask to each layer.",
    {CALL: "layer(x, None if all_weights else mask, return_weights=True)"},
)
mask_dropped = in_stack(
    "mask not passed on",
    "The mask does not reach the layers. Every token looks at every other, padding included, and nothing fails: the padding just becomes part of what the tokens say. Pass `mask` on to each layer.",
    {CALL: "layer(x, return_weights=True)"},
)


def masked_stack(name: str, says: str, mask: str) -> Mistake:
    """Another mask than the given one reaches the layers."""
    return in_stack(name, says, {CALL: f"layer(x, {mask}, return_weights=True)"})


STACK_TRIL = TRIL.replace("h.", "x.")
stack_inverted = masked_stack(
    "mask inverted",
    'The mask is inverted on its way. In this course True means "may look", for the stack and for its layers alike; only torch\'s modules mean the opposite. Pass the mask on as it is.',
    "None if mask is None else ~mask",
)
stack_on_queries = masked_stack("mask on the queries", QUERIES, "None if mask is None else mask.mT")
stack_on_queries_too = masked_stack(
    "mask on the queries as well", QUERIES_TOO, "None if mask is None else mask & mask.mT"
)
stack_causal = masked_stack("causal", CAUSAL, f"{STACK_TRIL} if mask is None else mask & {STACK_TRIL}")
stack_causal_instead = masked_stack("causal", CAUSAL, STACK_TRIL)
stack_causal_by_default = masked_stack("causal", CAUSAL, f"{STACK_TRIL} if mask is None else mask")
stack_causal_with_mask = masked_stack("causal", CAUSAL_WITH_MASK, f"None if mask is None else mask & {STACK_TRIL}")
STACK_STRICT, STACK_TRIU = STRICT_TRIL.replace("h.", "x."), TRIU.replace("h.", "x.")
stack_strictly_causal = masked_stack(
    "causal", STRICTLY_CAUSAL, f"{STACK_STRICT} if mask is None else mask & {STACK_STRICT}"
)
stack_past_hidden = masked_stack("past hidden", PAST_HIDDEN, f"{STACK_TRIU} if mask is None else mask & {STACK_TRIU}")

LAST_WEIGHTS = "Only one layer's weights come back. Asked with `return_weights=True` the stack returns a list with the weights of every layer, first layer first: each layer looks elsewhere. Append to a list inside the loop."
last_weights = in_stack("weights of one layer only", LAST_WEIGHTS, {RETURN: "(x, weights) if return_weights else x"})
last_weights_listed = in_stack(
    "weights of one layer only", LAST_WEIGHTS, {RETURN: "(x, all_weights[-1:]) if return_weights else x"}
)
first_weights = in_stack(
    "weights of one layer only", LAST_WEIGHTS, {RETURN: "(x, all_weights[0]) if return_weights else x"}
)

STACKED = "The weights of the layers are joined into one tensor. A list is expected, one tensor of (batch, num_heads, seq_len, seq_len) for each layer; return the list as it is."
stacked = in_stack(
    "weights joined into one tensor",
    STACKED,
    {RETURN: '(x, __import__("torch").stack(all_weights)) if return_weights else x'},
)
joined = in_stack(
    "weights joined into one tensor",
    STACKED,
    {RETURN: '(x, __import__("torch").cat(all_weights)) if return_weights else x'},
)
stacked_in_batch, joined_in_batch = (
    in_stack(
        "weights joined into one tensor",
        STACKED,
        {RETURN: f'(x, __import__("torch").{how}(all_weights, 1)) if return_weights else x'},
    )
    for how in ("stack", "cat")
)
taken_apart = in_stack(
    "weights taken apart",
    "The weights of every sentence come back by themselves. `extend` and `+=` take a tensor apart and put its slices into the list, one for each sentence. A layer's weights stay one tensor: `all_weights.append(weights)`.",
    {COLLECT: "all_weights.extend(weights)"},
)
backwards_weights = in_stack(
    "weights in reverse order",
    "The weights come back in reverse, those of the last layer first. The list goes with `self.layers`: number 0 belongs to the layer that reads the tokens first. `append` puts each behind those before.",
    {COLLECT: "all_weights.insert(0, weights)"},
)
tokens_for_weights = in_stack(
    "tokens in place of the weights",
    "The list holds what the layers made of the tokens, where their attention weights should be. A layer returns `(output, weights)`: the output goes on to the next, the weights into the list.",
    {COLLECT: "all_weights.append(x)"},
)
layers_averaged = in_stack(
    "weights averaged over the layers",
    "The weights are averaged over the layers. Each layer reads what the one before has made, so their weights speak of different things, and a mean of them of nothing. Return a list, one tensor for each layer.",
    {RETURN: "(x, sum(all_weights) / len(all_weights)) if return_weights else x"},
)
mask_with_weights_only = in_stack(
    "mask not passed on",
    "Without `return_weights` the mask does not reach the layers. The weights are right when asked for, and the tokens read padding when they are not. Pass `mask` on to each layer, in both branches.",
    {CALL: "layer(x, mask if return_weights else None, return_weights=True)"},
)
mask_without_weights_only = in_stack(
    "mask not passed on",
    "With `return_weights=True` the mask does not reach the layers. Asking for the weights must not change what is computed. Pass `mask` on to each layer, in both branches.",
    {CALL: "layer(x, None if return_weights else mask, return_weights=True)"},
)
norm_without_weights_only = in_stack(
    "no final norm in pre-norm",
    "With `return_weights=True` there is no final norm. Asking for the weights must not change what is computed. In pre-norm `self.norm` comes after the last layer, in both branches.",
    {APPLY: "x = x if return_weights else self.norm(x)"},
)
norm_with_weights_only = in_stack(
    "no final norm in pre-norm",
    "Without `return_weights` there is no final norm. Asking for the weights must not change what is computed. In pre-norm `self.norm` comes after the last layer, in both branches.",
    {APPLY: "x = self.norm(x) if return_weights else x"},
)
stack_averaged = in_stack("weights averaged over the heads", AVERAGED, {COLLECT: "all_weights.append(weights.mean(1))"})
stack_not_returned = in_stack("weights not returned", NOT_RETURNED, {RETURN: "x"})
stack_always_returned = in_stack("weights always returned", ALWAYS_RETURNED, {RETURN: "(x, all_weights)"})
stack_always_a_pair = in_stack(
    "weights always returned", ALWAYS_RETURNED, {RETURN: "(x, all_weights if return_weights else None)"}
)
stack_unasked = in_stack(
    "return_weights the wrong way round", UNASKED, {RETURN: "x if return_weights else (x, all_weights)"}
)
stack_turned = in_stack("weights and output swapped", TURNED, {RETURN: "(all_weights, x) if return_weights else x"})

no_form_handed = in_stack(
    "norm_first not handed to the layers",
    "`norm_first` does not reach the layers. They are all post-norm, whatever was asked for, and only the final norm comes and goes. It is the last argument of `EncoderLayer`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff, dropout)"},
)
no_dropout_handed = in_stack(
    "dropout not handed to the layers",
    "`dropout` does not reach the layers. In training nothing is ever dropped. It is the fourth argument of `EncoderLayer`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff, 0.0, norm_first)"},
)
nothing_handed = in_stack(
    "neither dropout nor norm_first handed to the layers",
    "Neither `dropout` nor `norm_first` reaches the layers. They are post-norm and drop nothing, whatever was asked for. Both are arguments of `EncoderLayer`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff)"},
)
form_as_dropout = in_stack(
    "norm_first handed over as dropout",
    "`norm_first` is handed over in the place of `dropout`. Python takes True for 1, so in pre-norm everything is dropped in training, and the layers stay post-norm. The order is `EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff, norm_first)"},
)
exchanged = in_stack(
    "dropout and norm_first exchanged",
    "`dropout` and `norm_first` have changed places. Python takes True for 1 and 0.0 for False, so nothing complains. The order is `EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff, norm_first, dropout)"},
)

ONE_VECTOR = (
    "One vector comes back for the whole sentence. An encoder gives a vector for every token: same shape in, same shape out, and the decoder later reads all of them. That a sentence is pressed into one vector is what "
    "articles say, and what translation models did before attention."
)


def one_vector(pooled: str) -> Mistake:
    """The tokens are pooled into one."""
    return in_stack(
        "one vector for the whole sentence",
        ONE_VECTOR,
        {RETURN: f"({pooled}, all_weights) if return_weights else {pooled}"},
    )


mean_vector, first_vector, last_vector = one_vector("x.mean(1)"), one_vector("x[:, 0]"), one_vector("x[:, -1]")
