"""Wrong ways of writing."""

from autograder.checks.gpt import generate
from autograder.probing.mistake import edit

READ = "model(ids[:, -model.config.max_len :])[:, -1]"
DRAW = "sample_next(logits, temperature, top_k, top_p, generator)"
APPEND = "ids = torch.cat([ids, new.unsqueeze(1)], dim=1)"
EVAL = "model.eval()"
BACK = "model.train(was_training)"
LOOP = "range(max_new_tokens)"
START = {EVAL: f"{EVAL}\n    start = ids.size(1)"}

generate.mistake(
    "the context is not cropped",
    "A text that has become longer than max_len goes into the model whole. It has no position for what is beyond, and refuses. Give it the last `model.config.max_len` tokens; what is written is kept in full.",
    {READ: "model(ids)[:, -1]"},
)

generate.mistake(
    "the beginning is kept instead of the end",
    "Of a long text you keep the first max_len tokens. The model then reads the same beginning at every step, and writes the token that follows *it*, over and over. The next token depends on the last ones: `ids[:, -max_len:]`.",
    {READ: "model(ids[:, : model.config.max_len])[:, -1]"},
)

generate.mistake(
    "one token less is read",
    "The model reads one token less than it could, so each draw lacks the oldest token of its context. The last `max_len` tokens fit.",
    {READ: "model(ids[:, -(model.config.max_len - 1) :])[:, -1]"},
)

generate.mistake(
    "what is cropped is lost",
    "You shorten the text itself, and with it the result. The model reads the last max_len tokens; the caller wants all of them. Crop what you hand to the model, not `ids`.",
    {READ: "model(ids := ids[:, -model.config.max_len :])[:, -1]"},
    edit(
        {EVAL: f"{EVAL}\n    ids = ids[:, -model.config.max_len :]"},
        says="You shorten the prompts before you begin, and with them the result: a prompt that is longer than max_len comes back without its beginning. Crop what you hand to the model, not `ids`.",
    ),
    edit(
        {"return ids": "return ids[:, -model.config.max_len :]"},
        says="You return the last max_len tokens. The caller wants all of them: prompt, and what was written behind it.",
    ),
)

generate.mistake(
    "only the last token is fed",
    "The model reads the last token only. It has no memory: what it does not read, it does not know, and it takes the token for the first of a text. Without a cache everything goes in again at every step.",
    {READ: "model(ids[:, -1:])[:, -1]"},
)

generate.mistake(
    "logits of the first place",
    "You draw from the logits of the first place. They say what follows the first token. The next token follows the last one: `[:, -1]`.",
    {READ: "model(ids[:, -model.config.max_len :])[:, 0]"},
)

generate.mistake(
    "logits of the place before the last",
    "You draw from the logits of the last place but one. They say what the last token should have been, which is written already.",
    {READ: "model(ids[:, -model.config.max_len :])[:, -2:][:, 0]"},
    {READ: "model(ids[:, -model.config.max_len :])[:, -2]"},
)

generate.mistake(
    "logits of other places",
    "You draw from the logits of the prompt's last place, also when the text has gone on. The next token follows the last one that was written: `[:, -1]`.",
    *(
        START | {READ: f"model(ids[:, -model.config.max_len :])[:, {place}]"}
        for place in ("min(start, ids.size(1), model.config.max_len) - 1", "start - 1")
    ),
)

generate.mistake(
    "something else is read",
    "The model reads an empty place, whose token is 0, behind the text. It draws what would follow that. Hand it what has been written so far, and no more.",
    *(
        {READ: f"model({filled}[:, -model.config.max_len :])[:, -1]"}
        for filled in ("torch.cat([ids, ids.new_zeros(len(ids), 1)], dim=1)",)
    ),
    edit(
        START | {READ: "model((ids[:, start:] if ids.size(1) > start else ids)[:, -model.config.max_len :])[:, -1]"},
        says="When the first token is written, the model reads the prompt no more, but only what it wrote itself. Each token depends on the prompt as well: hand on the whole text, as far as it fits.",
    ),
)

generate.mistake(
    "the context does not grow",
    "The model never reads more tokens than the prompt has: for each token that is written, the oldest one is left out. As long as there is room for it, everything that was written so far goes in: the last `max_len` tokens.",
    START | {READ: "model(ids[:, -min(start, model.config.max_len) :])[:, -1]"},
)

generate.mistake(
    "a default of your own",
    "Where no top_k is given, you hand on one of your own. None means that all tokens may be drawn: hand on what was given.",
    *({DRAW: DRAW.replace("top_k", f"{size} if top_k is None else top_k")} for size in (40, 50)),
)

generate.mistake(
    "the prompt does not change",
    "Every token is drawn for the prompt alone. What was drawn has to be appended before the model reads again: each token depends on those written before it.",
    {
        EVAL: f"{EVAL}\n    prompt = ids",
        READ: "model(prompt[:, -model.config.max_len :])[:, -1]",
    },
)

generate.mistake(
    "written in train mode",
    "You write in training mode. Dropout then deletes a part of what the model knows at every token. `model.eval()` before the loop.",
    {EVAL: "pass"},
    {EVAL: "model.train()"},
    edit(
        {APPEND: f"{APPEND}\n        {BACK}"},
        says="The model goes back to its mode after the first token, and writes the others in training mode. The line that restores it stands behind the loop, not in it.",
    ),
)

generate.mistake(
    "the mode of the model alone",
    "You set `training` of the model alone. Its parts have a mode of their own: dropout asks its own `training`, and goes on dropping. `model.eval()` and `model.train(...)` reach all parts.",
    {EVAL: "model.training = False"},
    {EVAL: "model.training = False", BACK: "model.training = was_training"},
    edit(
        {BACK: "model.training = was_training"},
        says="You set `training` of the model alone when you are done. Its parts have a mode of their own, and stay in evaluation mode: `model.train(was_training)` reaches all parts.",
    ),
)

generate.mistake(
    "left in eval mode",
    "You leave the model in evaluation mode. Whoever writes a sample between two steps of training goes on without dropout from there, and does not notice. Remember `model.training`, and restore it.",
    {BACK: "pass"},
)

generate.mistake(
    "left in train mode",
    "You leave the model in training mode, also where it came in evaluation mode. Whoever measures it afterwards measures with dropout. `model.train(was_training)` brings back what was.",
    {BACK: "model.train()"},
)

generate.mistake(
    "left in the other mode",
    "You leave the model in the mode in which it did *not* come. `model.train(was_training)` brings back what was; `not` turns it round.",
    {BACK: "model.train(not was_training)"},
)

generate.mistake(
    "nothing is written",
    "The prompts come back as they were. What was drawn is not kept: `torch.cat` gives a new tensor, and changes none. Give it the name of the text, `ids = torch.cat(...)`.",
    {APPEND: "torch.cat([ids, new.unsqueeze(1)], dim=1)"},
    {"return ids": "return prompts", EVAL: f"{EVAL}\n    prompts = ids"},
)

generate.mistake(
    "probabilities for scores",
    "You draw from a softmax of a softmax. `sample_next` takes scores and makes probabilities of them itself; taken once more, all tokens become almost equally likely. Hand it the logits as they are.",
    {READ: "model(ids[:, -model.config.max_len :])[:, -1].softmax(dim=-1)"},
)

generate.mistake(
    "the prompt is lost",
    "The prompts are missing in your result. What is returned are whole texts: the prompt, and what was written behind it.",
    {"return ids": "return ids[:, -max_new_tokens:] if max_new_tokens else ids[:, :0]"},
    {"return ids": "return ids[:, -max_new_tokens:]"},
    START | {"return ids": "return torch.stack(ids[:, start:].unbind(1), dim=1)"},
    edit(
        {"return ids": "return ids[:, -1:]"},
        says="Only the last token comes back. What is returned are whole texts: the prompt, and all that was written behind it.",
    ),
)

generate.mistake(
    "new tokens in front",
    "Your new tokens stand in front of the text. They are drawn to follow it: `torch.cat([ids, new], dim=1)`.",
    {APPEND: "ids = torch.cat([new.unsqueeze(1), ids], dim=1)"},
    edit(
        START | {"return ids": "return torch.cat([ids[:, start:], ids[:, :start]], dim=1)"},
        says="What was written stands in front of the prompt. It was drawn to follow it: the prompt first.",
    ),
    edit(
        START | {"return ids": "return torch.cat([ids[:, start:].flip(1), ids[:, :start]], dim=1)"},
        says="What was written stands in front of the prompt, the last token first. It was drawn to follow it: the prompt first.",
    ),
)

generate.mistake(
    "written in reverse",
    "What was written comes back in reverse, the last token first. Append each token behind the text.",
    START | {"return ids": "return torch.cat([ids[:, :start], ids[:, start:].flip(1)], dim=1)"},
)

generate.mistake(
    "written one place too early",
    "Each token is written over the one before it, and the last place stays empty. A new token belongs behind the text.",
    {APPEND: "ids = torch.cat([ids[:, :-1], new.unsqueeze(1), ids.new_zeros(len(ids), 1)], dim=1)"},
)

generate.mistake(
    "stops early",
    "Your text ends when token 0 is written. 0 is a token like any other here; as many are written as were asked for.",
    *(
        {APPEND: f"{APPEND}\n        if {which}:\n            break"}
        for which in ("(new == 0).all()", "(new == 0).any()")
    ),
    *(
        edit(
            {APPEND: changed},
            says="Your text ends when a token is the one before it. It may stand twice in a row; as many are written as were asked for.",
        )
        for changed in (
            f"{APPEND}\n        if (ids[:, -1] == ids[:, -2]).all():\n            break",
            f"if (ids[:, -1] == new).all():\n            break\n        {APPEND}",
        )
    ),
    edit(
        {LOOP: "range(min(max_new_tokens, model.config.max_len - 1))"},
        says="You never write more than max_len - 1 tokens. A text may become longer than the model reads: it goes on by its last tokens.",
    ),
    edit(
        {LOOP: "range(min(max_new_tokens, model.config.max_len))"},
        says="You never write more than max_len tokens. A text may become longer than the model reads: it goes on by its last tokens.",
    ),
)

generate.mistake(
    "a list comes back",
    "Your texts come back as lists. Ids are one tensor, (batch, longer): without `tolist`.",
    {"return ids": "return ids.tolist()"},
)

generate.mistake(
    "what should be refused is let pass",
    "A negative number of tokens is let pass, and nothing is written. Refuse it, with a ValueError.",
    {" or max_new_tokens < 0:": ":"},
    edit(
        {"ids.size(1) < 1 or ": ""},
        says="A prompt without a token is let pass, and another error comes of it. Refuse it, with a ValueError.",
    ),
    edit(
        {"if ids.size(1) < 1 or max_new_tokens < 0:": "if False:"},
        says="A prompt without a token is let pass, and so is a negative number of tokens. Refuse both, with a ValueError.",
    ),
)

generate.mistake(
    "too much is refused",
    "0 tokens to write are refused. Then the prompts come back as they are: only fewer than 0 are an error.",
    {"max_new_tokens < 0:": "max_new_tokens < 1:"},
)

generate.mistake(
    "always the likeliest token",
    "You always take the likeliest token. Then temperature, top_k, top_p and generator have no effect. Draw with `sample_next`.",
    {DRAW: "logits.argmax(dim=-1)"},
)

generate.mistake(
    "the generator is not passed on",
    "The generator does not arrive. With the same seed it should give the same text, whatever else draws numbers meanwhile. Hand it to `sample_next`.",
    {DRAW: "sample_next(logits, temperature, top_k, top_p)"},
    edit(
        {EVAL: f"{EVAL}\n    generator = torch.Generator().manual_seed(0)"},
        says="A generator of your own takes the place of the one that was given. It begins with the same seed at every call, so every text is written with the same luck. Hand `generator` to `sample_next` as it is.",
    ),
)

generate.mistake(
    "the temperature is not passed on",
    "`temperature` does not arrive at the draw. Hand it to `sample_next`.",
    {DRAW: "sample_next(logits, 1.0, top_k, top_p, generator)"},
)

generate.mistake(
    "the temperature counts twice",
    "The temperature is applied twice. `sample_next` divides by it already. Hand it the scores as they are.",
    {DRAW: "sample_next(logits / temperature, temperature, top_k, top_p, generator)"},
)

generate.mistake(
    "every draw begins anew",
    "The random numbers begin anew. One generator goes through the whole text, and on from there: with a seed that is set in between, the same stroke of luck comes again and again. Hand `generator` to `sample_next` as it is.",
    {DRAW: DRAW.replace("generator)", "generator and torch.Generator().manual_seed(generator.initial_seed()))")},
    {DRAW: DRAW.replace("generator)", "generator and generator.manual_seed(generator.initial_seed()))")},
    {DRAW: DRAW.replace("generator)", "generator and generator.manual_seed(0))")},
    {EVAL: f"{EVAL}\n    torch.default_generator.manual_seed(0)"},
    {EVAL: f"{EVAL}\n    generator = generator or torch.Generator().manual_seed(0)"},
)

generate.mistake(
    "top_k and top_p exchanged",
    "`top_k` and `top_p` arrive in each other's place. `sample_next` takes the temperature, then top_k, then top_p. Hand them over in that order, or by their names.",
    {DRAW: "sample_next(logits, temperature, top_p, top_k, generator)"},
)

generate.mistake(
    "one draw for all texts",
    "All texts get the token that was drawn for the first. `sample_next` gives one for each row: append the whole column.",
    {APPEND: "ids = torch.cat([ids, new[:1].expand(len(ids)).unsqueeze(1)], dim=1)"},
    edit(
        {
            DRAW: DRAW.replace("logits", "logits[:1]"),
            APPEND: "ids = torch.cat([ids, torch.cat([new, new.new_zeros(len(ids) - 1)]).unsqueeze(1)], dim=1)",
        },
        says="Only the first text goes on; behind the others stand zeros. `sample_next` gives one token for each row: append the whole column.",
    ),
)

generate.mistake(
    "top_k is not passed on",
    "`top_k` does not arrive at the draw. Hand it to `sample_next`.",
    {DRAW: "sample_next(logits, temperature, None, top_p, generator)"},
)

generate.mistake(
    "top_p is not passed on",
    "`top_p` does not arrive at the draw. Hand it to `sample_next`.",
    {DRAW: "sample_next(logits, temperature, top_k, None, generator)"},
)

generate.mistake(
    "no setting is passed on",
    "Neither temperature nor top_k nor top_p arrives at the draw. Hand all of them to `sample_next`, and the generator.",
    {DRAW: "sample_next(logits, generator=generator)"},
    {DRAW: "sample_next(logits)"},
)

generate.mistake(
    "one token too many",
    "You write one token more than asked for. `range(max_new_tokens)` counts them.",
    {LOOP: "range(max_new_tokens + 1)"},
)

generate.mistake(
    "one token too few",
    "You write one token less than asked for. `range(max_new_tokens)` counts them.",
    {LOOP: "range(max_new_tokens - 1)"},
    edit(
        {
            LOOP: "range(max_new_tokens - 1)",
            "return ids": "return torch.cat([ids, ids.new_zeros(len(ids), min(max_new_tokens, 1))], dim=1)",
        },
        says="The last place of your texts is not written: a 0 stands there. The loop ends one step too early.",
    ),
)

generate.mistake(
    "as long as max_new_tokens in all",
    "Your texts have max_new_tokens tokens in all, or as many as max_len. What is asked for is that many *new* ones, behind the prompt.",
    {LOOP: "range(max_new_tokens - ids.size(1))"},
    {LOOP: "range(min(max_new_tokens, model.config.max_len - ids.size(1)))"},
)

generate.mistake(
    "gradients are kept",
    "Gradients are tracked while you write. Nobody needs them, and all that the model computed is kept in memory. The function is decorated with `@torch.no_grad()`; is it still?",
    edit({"    was_training": "    torch.set_grad_enabled(True)\n    was_training"}),
)
