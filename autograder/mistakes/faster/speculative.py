"""Wrong ways of speculative decoding."""

from autograder.checks.faster import speculative_step
from autograder.probing.mistake import edit

STAYS = "stays = accept < p / q"
KEPT = "kept = int(stays.long().cumprod(dim=0).sum())"
REST = "(target_probs[kept] - draft_probs[kept]).clamp(min=0)"
NORM = "rest = rest / rest.sum()"
LAST = "rest = target_probs[kept]"
DRAW = "(rest.cumsum(dim=0) <= resample).sum()"
HELD = f"{DRAW}.clamp(max=len(rest) - 1)"
GIVE = "torch.cat([draft_ids[:kept], last.reshape(1)])"

speculative_step.mistake(
    "always accepts",
    "All drafted tokens stay. The text is then the draft's, not the target's. A published set of exercises takes that for right. A token stays only where its number in `accept` is below p / q.",
    {STAYS: "stays = torch.ones_like(accept)"},
)

speculative_step.mistake(
    "drawn from the target instead of the remainder",
    "The token that replaces a refused one is drawn from the target's whole distribution. What the draft says often has then had two chances, and comes out too often. Draw from what the target has more than the draft: max(p - q, 0), normalised.",
    {REST: "target_probs[kept]"},
)

speculative_step.mistake(
    "remainder not normalised",
    "max(p - q, 0) sums to less than 1 and is not normalised: the cumulated sum reaches `resample` too late, or never. Divide it by its sum.",
    {NORM: "pass"},
    {NORM: "pass", HELD: DRAW},
    {NORM: "pass", HELD: "(rest.cumsum(dim=0) > resample).int().argmax()"},
    edit(
        {NORM: "rest = torch.softmax(rest, dim=0)"},
        says="The remainder goes through a softmax, which gives every token a chance, also those of which the target has less. max(p - q, 0) is divided by its sum.",
    ),
)

speculative_step.mistake(
    "another remainder",
    "The token that replaces a refused one is drawn from another distribution than max(p - q, 0), normalised.",
    edit({REST: "(draft_probs[kept] - target_probs[kept]).clamp(min=0)"}, says="You draw from max(q - p, 0): from what the draft has too much. What is missing is what the target has more than the draft: max(p - q, 0)."),
    edit({REST: "(target_probs[kept] - draft_probs[kept]).abs()"}, says="You draw from |p - q|. What the draft has too much should not be drawn again: negative differences count 0, as in max(p - q, 0)."),
    edit({REST: "draft_probs[kept]"}, says="The token that replaces a refused one is drawn from the draft's own distribution. Draw from what the target has more: max(p - q, 0), normalised."),
    edit({REST: "torch.softmax(target_probs[kept] - draft_probs[kept], dim=0)"}, says="You draw from a softmax of p - q. The remainder is max(p - q, 0), divided by its sum: no exponentials."),
    edit({REST: "(target_probs[kept] - draft_probs[kept])"}, says="Negative differences stay in your remainder, so the cumulated sum goes up and down. They count 0: max(p - q, 0).", varies=True),  # divides by a sum of 0, up to rounding
    edit({REST: "(target_probs[kept] - draft_probs[kept])", HELD: DRAW}, says="Negative differences stay in your remainder, so the cumulated sum goes up and down. They count 0: max(p - q, 0)."),
    edit({REST: "(target_probs[kept] - draft_probs[kept])", NORM: "pass", HELD: DRAW}, says="Negative differences stay in your remainder, and it is not normalised. They count 0: max(p - q, 0), by its sum."),
    edit({REST: "target_probs[kept].scatter(0, draft_ids[kept : kept + 1], 0.0)"}, says="You draw from the target's distribution without the refused token. That is not what is missing: draw from what the target has more than the draft, max(p - q, 0), normalised."),
)  # fmt: skip

speculative_step.mistake(
    "goes on after a refusal",
    "Tokens behind a refused one are kept. They were drafted after a token that is no longer there. The step ends at the first that does not stay.",
    {KEPT: "kept = int(stays.long().sum())"},
    edit(
        {KEPT: "kept = int(stays.long().sum())", GIVE: "torch.cat([draft_ids[stays], last.reshape(1)])"},
        says="Every token that passes by itself is kept, also behind a refused one. Those were drafted after a token that is no longer there: the step ends at the first that does not stay.",
    ),
    edit(
        {GIVE: "torch.cat([draft_ids[stays], last.reshape(1)])"},
        says="Every token that passes by itself is kept, also behind a refused one. Those were drafted after a token that is no longer there: the step ends at the first that does not stay.",
    ),
)

speculative_step.mistake(
    "accepted only where the target is higher",
    "A token stays only where the target gives it at least the draft's probability: nothing is left to chance. Where p is below q it stays with probability p / q.",
    {STAYS: "stays = p >= q"},
)

speculative_step.mistake(
    "accepted by the target's probability",
    "A token stays with the target's probability, not with p / q. It was already drawn with probability q, which has to be divided out.",
    {STAYS: "stays = accept < p"},
)

speculative_step.mistake(
    "accepted by another number",
    "A token stays by another number than p / q.",
    edit({STAYS: "stays = accept < q"}, says="A token stays with the draft's probability, so the target is not asked at all. It stays where its number is below p / q."),
    edit({STAYS: "stays = accept < p - q"}, says="You compare with p - q. It is a ratio: a token stays where its number is below p / q."),
    edit({STAYS: "stays = accept < p * q"}, says="You compare with p · q. It is a ratio: a token stays where its number is below p / q."),
)  # fmt: skip

speculative_step.mistake(
    "a number that equals p / q",
    "A token stays where its number in `accept` equals p / q. With a number of 0 a token then stays that the target never says. It stays where its number is *below* p / q.",
    {STAYS: "stays = accept <= p / q"},
)

speculative_step.mistake(
    "the target read one place later",
    "You compare with the target's row for the place after a drafted token. Both have a row for the same place under the same number; the target has one more, at the end.",
    {"target_probs[:-1].gather": "target_probs[1:].gather"},
)

speculative_step.mistake(
    "the remainder of another place",
    "The remainder is that of another place than the one at which a token was refused.",
    edit({REST: "(target_probs[kept + 1] - draft_probs[kept]).clamp(min=0)"}, says="In your remainder the target's row is that of the place after the refused token. Both rows belong to the same place."),
    edit({REST: "(target_probs[0] - draft_probs[0]).clamp(min=0)"}, says="Your remainder is that of the first place, wherever a token was refused."),
    edit({REST: "(target_probs[-1] - draft_probs[-1]).clamp(min=0)"}, says="Your remainder is made of the last rows, wherever a token was refused."),
    edit({REST: "(target_probs[kept - 1] - draft_probs[kept - 1]).clamp(min=0)"}, says="Your remainder is that of the place before the refused token."),
)  # fmt: skip

speculative_step.mistake(
    "the ratio upside down",
    "You compare with q / p. A token that the draft likes too much should be refused more often: it stays where its number is below p / q.",
    {STAYS: "stays = accept < q / p"},
)

speculative_step.mistake(
    "accepted and refused exchanged",
    "A token stays where it should be refused. It stays where its number in `accept` is *below* p / q.",
    {STAYS: "stays = accept >= p / q"},
)

speculative_step.mistake(
    "no token at the end",
    "Where all drafted tokens stay, nothing is added. The target's last row is there for one token more: it costs no further pass.",
    {GIVE: "torch.cat([draft_ids[:kept], last.reshape(1)]) if kept < len(draft_ids) else draft_ids"},
)

speculative_step.mistake(
    "a refused token not replaced",
    "A refused token is thrown away and nothing takes its place. Then a step may give no token at all, and the text is distributed otherwise. Draw one from the remainder.",
    {GIVE: "draft_ids[:kept] if kept < len(draft_ids) else torch.cat([draft_ids[:kept], last.reshape(1)])"},
    edit(
        {GIVE: "draft_ids[:kept]"},
        says="You give the drafted tokens that stay and nothing more. A refused token is replaced by one drawn from the remainder, and behind tokens that all stay comes one of the target's last distribution.",
    ),
)

speculative_step.mistake(
    "tokens that stay left out",
    "You give the last token alone. Before it come the drafted tokens that stay.",
    {GIVE: "last.reshape(1)"},
)

speculative_step.mistake(
    "refused token kept",
    "The refused token stands in what you give, before the one that replaces it.",
    {GIVE: "torch.cat([draft_ids[: kept + 1], last.reshape(1)])"},
)

speculative_step.mistake(
    "the last token from another row",
    "Where all stay, the token that is added comes from the wrong row. The target has one row more than the draft: the last one is for the token after all drafted ones.",
    {LAST: "rest = target_probs[kept - 1]"},
    {LAST: "rest = target_probs[-2]"},
    edit(
        {LAST: "rest = (target_probs[-1] - draft_probs[-1]).clamp(min=0)\n        rest = rest / rest.sum()"},
        says="Where all stay, the draft's last row is taken off the target's. The two belong to different places, and nothing was refused: draw from the target's last distribution as it is.",
    ),
    edit(
        {LAST: "rest = draft_probs[kept - 1]"},
        says="Where all stay, the token that is added is drawn from the draft's last distribution. The target has a row more, for just this token.",
    ),
)

speculative_step.mistake(
    "the likeliest instead of one that is drawn",
    "The token that ends the step is the likeliest of its distribution, whatever `resample` says. Draw it: the first token at which the cumulated sum exceeds `resample`.",
    {DRAW: "rest.argmax()"},
)

speculative_step.mistake(
    "drawn by a number of its own",
    "The token that ends the step is drawn, and not by `resample`: with another state of torch's generator it is another. Drawn is the first token at which the cumulated sum exceeds `resample`.",
    {DRAW: "torch.multinomial(rest, 1)[0]"},
    {DRAW: "(rest.cumsum(dim=0) <= torch.rand(())).sum()"},
)

speculative_step.mistake(
    "a sum that equals `resample`",
    "You stop where the cumulated sum equals `resample`. With a `resample` of 0 that is the first token, even one of probability 0. Drawn is the first token at which the sum *exceeds* it.",
    {DRAW: "(rest.cumsum(dim=0) < resample).sum()"},
)

speculative_step.mistake(
    "drawn from the far end",
    "You draw with the cumulated sum taken from another end, or one token off. Drawn is the first token at which the cumulated sum *exceeds* `resample`.",
    edit({DRAW: "(rest.cumsum(dim=0) <= 1 - resample).sum()"}, says="You draw by 1 - resample. Drawn is the first token at which the cumulated sum exceeds `resample`."),
    edit({DRAW: "((rest.cumsum(dim=0) <= resample).sum() - 1)"}, says="You give the token before the one that is drawn. Drawn is the first token at which the cumulated sum *exceeds* `resample`."),
    edit({DRAW: "((rest.cumsum(dim=0) <= resample).sum() + 1)"}, says="You give the token after the one that is drawn. Drawn is the first token at which the cumulated sum exceeds `resample`."),
    edit({HELD: f"({DRAW} + 1)"}, says="You give the token after the one that is drawn. Drawn is the first token at which the cumulated sum exceeds `resample`."),
    edit({DRAW: "(rest.cumsum(dim=0) > resample).sum()"}, says="You count the tokens at which the cumulated sum exceeds `resample`. The first of them is drawn: its number is the count of those before it."),
    edit({HELD: "(rest.cumsum(dim=0) > resample).sum()"}, says="You count the tokens at which the cumulated sum exceeds `resample`. The first of them is drawn: its number is the count of those before it."),
)  # fmt: skip
