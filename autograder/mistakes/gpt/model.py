"""Wrong ways of the model."""

from autograder.checks.gpt import gpt, gpt_block
from autograder.probing.mistake import edit

# GPTBlock ----------------------------------------------------------------------------

MASK = "causal_mask(x.size(1)).to(x.device)"
READ = "h = self.norm1(x)"
ATTEND = "self.self_attn(h, h, h, mask)"
ADD = "x = x + self.dropout(attended)"
FEED = "x = add_norm(x, self.feed_forward, self.norm2, self.dropout, norm_first=True)"
BLOCK = "GPTBlock.forward"


def other_parts(**parts: str) -> dict[str, str]:
    """The block goes on with other parts under these names: so this goes with whatever else is done to its lines."""
    entry = "        # 1. who may look at whom"
    made = ", ".join(f'"{name}": {part}' for name, part in parts.items())
    changed = f"        self = __import__('copy').copy(self)\n        self._modules = {{**self._modules, {made}}}\n"
    return {entry: changed + entry}


gpt_block.mistake(
    "not causal",
    "Every token sees the whole text, its future included. In training the answer then stands in the input, and the loss falls to almost nothing; when the model writes, there is no future to read. Give the attention a causal mask.",
    {ATTEND: "self.self_attn(h, h, h)"},
    {MASK: "causal_mask(x.size(1)).new_ones(x.size(1), x.size(1))"},
)

gpt_block.mistake(
    "the triangle upside down",
    'Your tokens see themselves and what comes *after* them. The past is what they may read. Here True means "may look": a query\'s row is True up to its own place, the lower triangle.',
    {MASK: "causal_mask(x.size(1)).T"},
)

gpt_block.mistake(
    "the mask the wrong way round",
    'Your mask hides what may be seen and shows what may not. Here True means "may look", as everywhere in this course; some libraries mean the opposite. The first token sees nothing at all.',
    {MASK: "~causal_mask(x.size(1))"},
)

gpt_block.mistake(
    "a token does not see itself",
    "A token sees those before it, and not itself. The first one sees nothing. At place t the token t has been read already; what is asked for is t + 1. The diagonal belongs to the mask.",
    {MASK: "causal_mask(x.size(1)).tril(-1)"},
    edit(
        {MASK: "causal_mask(x.size(1)).tril(-1) | (torch.arange(x.size(1)) == 0)"},
        says="A token sees those before it, and not itself; the first one alone sees itself. At place t the token t has been read already; what is asked for is t + 1. The diagonal belongs to the mask.",
    ),
)

gpt_block.mistake(
    "a window instead of the whole past",
    "A token sees only the last few tokens. Some later models do that to save time; in a GPT every token before it may be read: the whole lower triangle.",
    {MASK: "causal_mask(x.size(1)).triu(-1)"},
    {MASK: "causal_mask(x.size(1)).triu(-2)"},
)

gpt_block.mistake(
    "sees the next token",
    "Each token sees the one after it, which is the very one it is asked for. Your triangle is one diagonal too wide.",
    {MASK: "causal_mask(x.size(1) + 1)[1:, :-1]"},
)

gpt_block.mistake(
    "post-norm",
    "Your block is post-norm: it adds first and normalizes the sum. That was the first GPT; since GPT-2 the norm stands in front of attention and feed-forward network, and the sum stays as it is. Read `norm1(x)`, and `add_norm` with `norm_first=True`.",
    {
        READ: "h = x",
        ADD: "x = self.norm1(x + self.dropout(attended))",
        FEED: "x = add_norm(x, self.feed_forward, self.norm2, self.dropout)",
    },
)

gpt_block.mistake(
    "attention in pre-norm, the rest in post-norm",
    "Your feed-forward network is in post-norm, and your attention in pre-norm. `add_norm` normalizes the sum unless it is told `norm_first=True`.",
    {FEED: "x = add_norm(x, self.feed_forward, self.norm2, self.dropout)"},
)

gpt_block.mistake(
    "attention reads without norm",
    "Attention reads the tokens as they are. They grow from block to block, and with them the scores; `norm1` stands in front of the attention.",
    other_parts(norm1="nn.Identity()"),
)

gpt_block.mistake(
    "only queries are normalized",
    "Only the queries are normalized; keys and values are made of the tokens as they are. In self-attention all three are the same: h, h, h.",
    {ATTEND: "self.self_attn(h, x, x, mask)"},
)

gpt_block.mistake(
    "values or queries are not normalized",
    "Not all that attention reads is normalized. In self-attention queries, keys and values are made of the same tokens: h, h, h.",
    edit(
        {ATTEND: "self.self_attn(h, h, x, mask)"},
        says="The values are made of the tokens as they are. In self-attention queries, keys and values are made of the same, of what the norm has made: h, h, h.",
    ),
    edit(
        {ATTEND: "self.self_attn(x, h, h, mask)"},
        says="The queries are made of the tokens as they are. In self-attention queries, keys and values are made of the same, of what the norm has made: h, h, h.",
    ),
    edit(
        {ATTEND: "self.self_attn(h, x, h, mask)"},
        says="The keys are made of the tokens as they are. In self-attention queries, keys and values are made of the same, of what the norm has made: h, h, h.",
    ),
)

gpt_block.mistake(
    "the mean of the heads' weights",
    "You return the mean of the heads' weights. Each head looks elsewhere, and whoever asks for weights wants to see which: (batch, num_heads, seq_len, seq_len).",
    {"return x, weights": "return x, weights.mean(dim=1)"},
)

gpt_block.mistake(
    "the feed-forward network reads without norm",
    "The feed-forward network reads the tokens as they are: `norm2` does nothing. It stands in front of the feed-forward network.",
    other_parts(norm2="nn.Identity()"),
)

gpt_block.mistake(
    "one norm for both",
    "One norm serves both steps, and the other one never learns. `norm1` stands before attention, `norm2` before the feed-forward network.",
    other_parts(norm2="self.norm1"),
    other_parts(norm1="self.norm2"),
    edit(
        {"self.norm2 = LayerNorm(config.d_model)": "self.norm2 = self.norm1"},
        inside="GPTBlock.__init__",
        says="One norm serves both steps: `norm1` and `norm2` are the same module under two names. Each step has a norm of its own.",
    ),
)

gpt_block.mistake(
    "norms exchanged",
    "Your norms have changed places. `norm1` stands before attention, `norm2` before the feed-forward network. A model trained elsewhere would not fit into yours.",
    other_parts(norm1="self.norm2", norm2="self.norm1"),
)

gpt_block.mistake(
    "the normalized tokens go on",
    "What attention found is added to the *normalized* tokens. The path on which each block only adds something is cut; deep models then train badly. Add to `x` as it came.",
    {ADD: "x = h + self.dropout(attended)"},
    edit(
        {"x = add_norm(x,": "x = self.norm2(x) - x + add_norm(x,"},
        says="What the feed-forward network makes is added to the *normalized* tokens. The path on which each block only adds something is cut; deep models then train badly. Add to `x` as it came.",
    ),
    edit(
        {ADD: "x = h + self.dropout(attended)", "x = add_norm(x,": "x = self.norm2(x) - x + add_norm(x,"},
        says="What each step makes is added to the *normalized* tokens. The path on which each block only adds something is cut; deep models then train badly. Add to `x` as it came.",
    ),
)

gpt_block.mistake(
    "attention is not added",
    "What attention found replaces the tokens instead of being added to them. What a token was is lost after one block. Write `x + ...`.",
    {ADD: "x = self.dropout(attended)"},
)

gpt_block.mistake(
    "the feed-forward network is not added",
    "What the feed-forward network made replaces the tokens. `add_norm` adds; without it, write `x + ...`.",
    {FEED: "x = self.dropout(self.feed_forward(self.norm2(x)))"},
    {"x = add_norm(x,": "x = -x + add_norm(x,"},
)

gpt_block.mistake(
    "no feed-forward network",
    "The feed-forward network has no effect. After attention each token has to work on what it has found; two thirds of a GPT's parameters stand in these networks.",
    {FEED: "pass"},
    {"add_norm(x, self.feed_forward": "add_norm(x, torch.zeros_like"},
)

gpt_block.mistake(
    "attention in post-norm, the rest in pre-norm",
    "Your attention is in post-norm, and your feed-forward network in pre-norm. Attention reads `norm1(x)`, and the sum stays as it is.",
    {READ: "h = x", ADD: "x = self.norm1(x + self.dropout(attended))"},
)

gpt_block.mistake(
    "normalized before and after",
    "Your block normalizes what a step reads, and the sum once more. In pre-norm the sum stays as it is, so that each block only adds something: the one norm of a step stands in front of it.",
    {ADD: "x = self.norm1(x + self.dropout(attended))"},
    {"return x, weights": "return self.norm2(x), weights"},
    {ADD: "x = self.norm1(x + self.dropout(attended))", "return x, weights": "return self.norm2(x), weights"},
)

gpt_block.mistake(
    "a norm acts on what is added",
    "Your norm acts on what a step *made*, and not on what it reads. In pre-norm it stands in front: attention reads `norm1(x)`, the feed-forward network `norm2(x)`.",
    {READ: "h = x", ADD: "x = x + self.norm1(self.dropout(attended))"},
    {FEED: "x = x + self.norm2(self.dropout(self.feed_forward(x)))"},
    {
        READ: "h = x",
        ADD: "x = x + self.norm1(self.dropout(attended))",
        FEED: "x = x + self.norm2(self.dropout(self.feed_forward(x)))",
    },
    {READ: "h = x", ADD: "x = x + self.dropout(self.norm1(attended))"},
    {FEED: "x = x + self.dropout(self.norm2(self.feed_forward(x)))"},
    {
        READ: "h = x",
        ADD: "x = x + self.dropout(self.norm1(attended))",
        FEED: "x = x + self.dropout(self.norm2(self.feed_forward(x)))",
    },
    *(
        edit(
            {before: after},
            says="Your norm acts on what a step reads, and once more on what it made. In pre-norm it stands in front alone: what a step makes is added as it is.",
        )
        for before, after in (
            (ADD, "x = x + self.dropout(self.norm1(attended))"),
            (FEED, "x = x + self.dropout(self.norm2(self.feed_forward(self.norm2(x))))"),
        )
    ),
)

gpt_block.mistake(
    "normalized twice",
    "A norm acts twice before a step. `add_norm` with `norm_first=True` normalizes by itself: what it calls gets the normalized tokens, and normalizes nothing.",
    {READ: "h = self.norm1(self.norm1(x))"},
    {"add_norm(x, self.feed_forward": "add_norm(x, lambda h: self.feed_forward(self.norm2(h))"},
    {
        READ: "h = self.norm1(self.norm1(x))",
        "add_norm(x, self.feed_forward": "add_norm(x, lambda h: self.feed_forward(self.norm2(h))",
    },
)

gpt_block.mistake(
    "attention has no effect",
    "What attention found goes nowhere: the tokens come out as if nothing had been read. The feed-forward network reads, and adds to, the tokens to which attention has added: hand on the new `x`.",
    {ADD: "pass"},
    edit(
        {FEED: FEED.replace("add_norm(x,", "add_norm(h,")},
        says="What attention found goes nowhere: the feed-forward network reads, and adds to, what the first norm made. It reads, and adds to, the tokens to which attention has added: hand on the new `x`.",
    ),
)

gpt_block.mistake(
    "the feed-forward network runs twice",
    "The feed-forward network runs twice. A block has two steps: attention, and once the feed-forward network.",
    {FEED: f"{FEED}\n        {FEED}"},
    {FEED: FEED.replace("self.feed_forward,", "lambda h: self.feed_forward(self.feed_forward(h)),")},
)

gpt_block.mistake(
    "other weights come back",
    "The weights come back with queries and keys exchanged. A row belongs to a query: (batch, num_heads, query, key), as attention gives them.",
    {"return x, weights": "return x, weights.transpose(-2, -1)"},
    edit(
        {"return x, weights": "return x, attended"},
        says="In place of the weights you return what attention made of the tokens. `self.self_attn` gives two things: its output first, then the weights of every head.",
    ),
    edit(
        {"return x, weights": "return x, weights.sum(dim=1)"},
        says="You return the sum of the heads' weights. Each head looks elsewhere, and whoever asks for weights wants to see which: (batch, num_heads, seq_len, seq_len).",
    ),
    edit(
        {"return x, weights": "return x, self.dropout(weights)"},
        says="The weights that you return are dropped out in training. They say where a head looks: return them as attention gave them.",
    ),
)

gpt_block.mistake(
    "another sum around the block",
    "The whole block is added to what it read once more. Each of its two steps adds by itself; what comes out of the second is the result.",
    {"mask = causal_mask": "start = x\n        mask = causal_mask", "return x, weights": "return start + x, weights"},
)

gpt_block.mistake(
    "added twice",
    "A step's tokens are added twice, once by you and once by the sum around it. `add_norm` adds by itself: what it calls returns only what was made.",
    {ADD: "x = x + self.dropout(attended + h)"},
    {ADD: "x = x + self.dropout(attended + x)"},
    {ADD: "x = x + x + self.dropout(attended)"},
    {"add_norm(x, self.feed_forward": "add_norm(x, lambda h: h + self.feed_forward(h)"},
    {"x = add_norm(x,": "x = x + add_norm(x,"},
)

gpt_block.mistake(
    "the second sum begins anew",
    "What attention found is read by the feed-forward network and then lost: what that makes is added to the tokens as they came in. Both steps add to the same `x`.",
    {"mask = causal_mask": "start = x\n        mask = causal_mask", "x = add_norm(x,": "x = start - x + add_norm(x,"},
)

gpt_block.mistake(
    "everything is hidden",
    "Your mask is False everywhere, so nobody sees anything and attention adds nothing but its bias. True means that a token may look: the lower triangle, with its diagonal.",
    {MASK: "torch.zeros_like(causal_mask(x.size(1)))"},
)

gpt_block.mistake(
    "not two results",
    "A block returns two things: the tokens, and the weights of every head.",
    edit(
        {"return x, weights": "return x"},
        says="The weights do not come back. A block returns two things: the tokens, and the weights of every head.",
    ),
    edit(
        {"return x, weights": "return x, None"},
        says="None comes back where the weights should. A block returns two things: the tokens, and the weights of every head.",
    ),
    edit(
        {"return x, weights": "return weights, x"},
        says="Your results have changed places. First the tokens, then the weights.",
    ),
    edit(
        {"return x, weights": "return x, [weights]"},
        says="Your weights come back in a list. A block has one attention, and its weights are one tensor.",
    ),
)

gpt_block.mistake(
    "a fill of -10000",
    "Your hidden scores are -10000, and training may go below that: then a token looks at the future, which has the larger score. Two much used libraries had this. Fill with `-inf`; the attention of `self.self_attn` does it when you give it the mask.",
    {
        ATTEND: f"""{ATTEND}
        if isinstance(self.self_attn, MultiHeadAttention):
            made = [one(h) for one in (self.self_attn.q_proj, self.self_attn.k_proj, self.self_attn.v_proj)]
            query, key, value = (one.unflatten(-1, (weights.size(1), -1)).transpose(1, 2) for one in made)
            scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
            weights = scores.masked_fill(~mask, -1e4).softmax(dim=-1)
            drop = nn.functional.dropout(weights, self.dropout.p, self.training)
            attended = self.self_attn.out_proj((drop @ value).transpose(1, 2).flatten(2))"""
    },
)

gpt_block.mistake(
    "both read the same tokens",
    "Attention and the feed-forward network read the same tokens, side by side. Some later models do it to save time; in a GPT the feed-forward network reads what attention has added to.",
    {FEED: "x = x + self.dropout(self.feed_forward(self.norm2(x - self.dropout(attended))))"},
    {"x = add_norm(x,": "x = self.dropout(attended) + add_norm(x - self.dropout(attended),"},
    {FEED: "x = x + self.dropout(self.feed_forward(self.norm2(h)))"},
    {FEED: "x = x + self.dropout(self.feed_forward(h))"},
)

gpt_block.mistake(
    "feed-forward before attention",
    "The feed-forward network comes before attention. First the tokens read, then each thinks about what it has read.",
    {READ: f"{FEED}\n        h = self.norm1(x)", f"{FEED}\n        return": "return"},
    edit(
        {READ: f"{FEED.replace('norm2', 'norm1')}\n        h = self.norm2(x)", f"{FEED}\n        return": "return"},
        says="The feed-forward network comes before attention, with the norms in the order in which you use them. First the tokens read (`norm1`), then each thinks about what it has read (`norm2`).",
    ),
)

gpt_block.mistake(
    "no dropout on what attention adds",
    "What attention adds is not dropped out. In training `self.dropout` acts on what each of the two steps adds, or what it gave is thrown away.",
    {ADD: "x = x + attended"},
)

gpt_block.mistake(
    "no dropout on what the feed-forward network adds",
    "What the feed-forward network adds is not dropped out. In training `self.dropout` acts on what each of the two steps adds.",
    {FEED: "x = x + self.feed_forward(self.norm2(x))"},
    {"self.norm2, self.dropout": "self.norm2, nn.Identity()"},
)

gpt_block.mistake(
    "dropout on what is read",
    "Your dropout acts on what a step *reads*. It belongs to what each of the two steps adds: `x + self.dropout(...)`.",
    {
        READ: "h = self.dropout(self.norm1(x))",
        ADD: "x = x + attended",
        FEED: "x = x + self.feed_forward(self.dropout(self.norm2(x)))",
    },
    {READ: "h = self.dropout(self.norm1(x))"},
)

gpt_block.mistake(
    "dropped out twice",
    "What a step adds is dropped out twice, so that less of it is left than the config says. `add_norm` drops out by itself: what it calls returns what was made.",
    {ADD: "x = x + self.dropout(self.dropout(attended))"},
    {"add_norm(x, self.feed_forward": "add_norm(x, lambda h: self.dropout(self.feed_forward(h))"},
    {
        ADD: "x = x + self.dropout(self.dropout(attended))",
        "add_norm(x, self.feed_forward": "add_norm(x, lambda h: self.dropout(self.feed_forward(h))",
    },
)

gpt_block.mistake(
    "dropout in evaluation too",
    "Something is dropped out in evaluation too. `nn.functional.dropout` drops unless it is told `training=self.training`; `self.dropout` knows the mode by itself.",
    {
        ADD: "x = x + nn.functional.dropout(attended, self.dropout.p)",
        FEED: "x = x + nn.functional.dropout(self.feed_forward(self.norm2(x)), self.dropout.p)",
    },
    {ADD: "x = x + nn.functional.dropout(attended, self.dropout.p)"},
    {FEED: "x = x + nn.functional.dropout(self.feed_forward(self.norm2(x)), self.dropout.p)"},
)

gpt_block.mistake(
    "dropout on the sum",
    "Your dropout acts on the whole sum. It then deletes features of the tokens for good, in every block. It belongs to what is added.",
    {ADD: "x = self.dropout(x + attended)"},
    {FEED: "x = self.dropout(x + self.feed_forward(self.norm2(x)))"},
)

gpt_block.mistake(
    "ReLU",
    "Your feed-forward network bends with ReLU. A GPT has GELU, exact or by tanh, as its config says.",
    edit(
        {'config.dropout, "gelu")': 'config.dropout, "relu")', 'partial(gelu, approximate="tanh")': "torch.relu"},
        inside="GPTBlock.__init__",
    ),
    edit(
        {'config.dropout, "gelu")': 'config.dropout, "relu")'},
        inside="GPTBlock.__init__",
        says="Your feed-forward network bends with ReLU where the config asks for the exact GELU. `FeedForward` takes the name as its last argument, and has ReLU without it.",
    ),
)

gpt_block.mistake(
    "the GELU by tanh where the exact one is asked for",
    'Your block has the GELU by tanh although the config says "gelu". They differ by a thousandth at most, and the config decides.',
    edit({'if config.activation == "gelu_tanh":': "if True:"}, inside="GPTBlock.__init__"),
)

gpt_block.mistake(
    "never rotary",
    'Your block has an attention that turns nothing, although the config says "rotary". Then nothing tells a token its place: `RotaryAttention` turns queries and keys.',
    edit({'if config.positions == "rotary"': "if False"}, inside="GPTBlock.__init__"),
)

gpt_block.mistake(
    "the exact GELU where the other is asked for",
    'Your block has the exact GELU although the config says "gelu_tanh". They differ by a thousandth at most, which a model of your own does not mind. Weights trained with the one and run with the other are off in every block.',
    edit({"if config.activation ==": "if False and config.activation =="}, inside="GPTBlock.__init__"),
)

# GPT ----------------------------------------------------------------------------

INIT = "GPT.__init__"
FORWARD = "GPT.forward"
TIED = "self.head.weight = self.token_embedding.weight"
HEAD = "self.head = nn.Linear(config.d_model, config.vocab_size, bias=False)"
LAYERS = "nn.ModuleList(GPTBlock(config) for _ in range(config.num_layers))"
LOOK_UP = "x = self.token_embedding(ids)"
PLACED = "x = x + self.position_embedding(torch.arange(seq_len, device=ids.device))"
DROPPED = "x = self.dropout(x)"
RUN = "x, weights = layer(x)"
LOGITS = "logits = self.head(self.norm(x))"
KEEP = "all_weights.append(weights)"

gpt.mistake(
    "the head is not tied",
    "The head has a matrix of its own. It is meant to be the token table: what a token looks like when it is read, and when it is predicted, is one thing to learn. Assign the table's parameter to `self.head.weight`.",
    edit({TIED: "pass"}, inside=INIT),
    edit(
        {TIED: "self.head.weight = nn.Parameter(self.token_embedding.weight.detach().clone())"},
        inside=INIT,
        says="The head is a copy of the token table. It starts equal, and training pulls the two apart: you pay for both. A well known book and a well known small model had this slip. `self.head.weight = self.token_embedding.weight`, without a copy, makes them one parameter.",
    ),
)

gpt.mistake(
    "two parameters share the table's numbers",
    "The head and the token table share their numbers, and are two parameters. `.weight.data = ...` and `nn.Parameter(table)` do this. Both gradients would change the same numbers, and moving or loading the model may part them. Assign the parameter itself: `self.head.weight = self.token_embedding.weight`.",
    edit({TIED: "self.head.weight.data = self.token_embedding.weight.data"}, inside=INIT),
    edit({TIED: "self.head.weight = nn.Parameter(self.token_embedding.weight)"}, inside=INIT),
)

gpt.mistake(
    "a head with a bias",
    "Your head has a bias. A GPT's has none: it is the token table, and that is a matrix. `nn.Linear(..., bias=False)`.",
    edit({HEAD: "self.head = nn.Linear(config.d_model, config.vocab_size)"}, inside=INIT),
)

gpt.mistake(
    "a final norm is missing",
    "The tokens go into the head as they are. In pre-norm nothing has normalized the sums, and they have grown with every block: `self.norm` stands before the head.",
    edit({LOGITS: "logits = self.head(x)"}, inside=FORWARD),
    edit({"self.norm = LayerNorm(config.d_model)": "self.norm = nn.Identity()"}, inside=INIT),
)

gpt.mistake(
    "the norm before the blocks",
    "Your norm stands before the blocks. Each block normalizes what it reads by itself; what nobody normalizes is the last sum. `self.norm` comes after the loop.",
    edit({DROPPED: "x = self.norm(self.dropout(x))", LOGITS: "logits = self.head(x)"}, inside=FORWARD),
    edit(
        {DROPPED: "x = self.norm(self.dropout(x))"},
        inside=FORWARD,
        says="Your norm acts before the blocks, and once more after them. Each block normalizes what it reads by itself; only the last sum is normalized by nobody. `self.norm` comes after the loop.",
    ),
    edit({DROPPED: "x = self.dropout(self.norm(x))", LOGITS: "logits = self.head(x)"}, inside=FORWARD),
    edit(
        {DROPPED: "x = self.dropout(self.norm(x))"},
        inside=FORWARD,
        says="Your norm acts before the blocks, and once more after them. Each block normalizes what it reads by itself; only the last sum is normalized by nobody. `self.norm` comes after the loop.",
    ),
)

gpt.mistake(
    "the final norm acts twice",
    "The final norm acts twice. Once is enough: `self.head(self.norm(x))`.",
    edit({LOGITS: "logits = self.head(self.norm(self.norm(x)))"}, inside=FORWARD),
)

gpt.mistake(
    "dropout before the head",
    "In training your last vectors are dropped out before the head. `self.dropout` acts at the start, on the sum of token and position; within the blocks they do it themselves.",
    edit({LOGITS: "logits = self.head(self.dropout(self.norm(x)))"}, inside=FORWARD),
)

gpt.mistake(
    "the norm after every block",
    "Your final norm acts after every block. It belongs after the last one: between blocks the sum stays as it is.",
    edit({RUN: f"{RUN}\n            x = self.norm(x)", LOGITS: "logits = self.head(x)"}, inside=FORWARD),
    # And once more at the end.
    edit({KEEP: f"{KEEP}\n            x = self.norm(x)"}, inside=FORWARD),
)

gpt.mistake(
    "multiplied by √d_model",
    "You multiply the tokens' vectors by √d_model. The Transformer of 2017 does; a GPT starts with small vectors and leaves them.",
    edit({LOOK_UP: "x = self.token_embedding(ids) * math.sqrt(config.d_model)"}, inside=FORWARD),
    edit(
        {DROPPED: "x = self.dropout(x * math.sqrt(config.d_model))"},
        inside=FORWARD,
        says="You multiply the sum of token and position by √d_model. The Transformer of 2017 multiplies the tokens' vectors; a GPT starts with small vectors and leaves them.",
    ),
    edit(
        {LOOK_UP: "x = self.token_embedding(ids) / math.sqrt(config.d_model)"},
        inside=FORWARD,
        says="You divide the tokens' vectors by √d_model. A GPT starts with small vectors and leaves them.",
    ),
)

gpt.mistake(
    "logits multiplied by √d_model",
    "You multiply the logits by √d_model. They are products of the last vectors with the token table, and stay as they are.",
    edit({LOGITS: "logits = self.head(self.norm(x)) * math.sqrt(config.d_model)"}, inside=FORWARD),
)

gpt.mistake(
    "positions are not simply added",
    "Token and position are put together in another way. The position's vector is added to the token's, and the sum goes on as it is.",
    edit(
        {PLACED: PLACED.replace("x + ", "x * ")},
        inside=FORWARD,
        says="You multiply the tokens' vectors by the positions'. Wherever one of the two is near 0, the other is lost. They are added.",
    ),
    edit(
        {PLACED: PLACED.replace("x + ", "(x + ") + ") / 2"},
        inside=FORWARD,
        says="You halve the sum of token and position. They are added, and the sum goes on as it is.",
    ),
    edit(
        {PLACED: PLACED.replace("x + ", "x + 2 * ")},
        inside=FORWARD,
        says="The positions' vectors are added twice. Once is enough.",
    ),
)

gpt.mistake(
    "positions from the end of the table",
    "Your positions are the last rows of the table. The first token of a text has position 0, however long the text is: `torch.arange(seq_len)`, or the rows `[:seq_len]`.",
    edit({PLACED: "x = x + self.position_embedding.weight[-seq_len:]"}, inside=FORWARD),
)

gpt.mistake(
    "logits divided by √d_model",
    "You divide the logits by √d_model. Attention scores are divided so; logits are not, and yours are much too equal.",
    edit({LOGITS: "logits = self.head(self.norm(x)) / math.sqrt(config.d_model)"}, inside=FORWARD),
)

gpt.mistake(
    "no positions",
    "The positions' vectors have no effect. With them left out, attention sees a bag of earlier tokens. Add `self.position_embedding` of 0, 1, 2, ... where there is one.",
    edit({PLACED: "pass"}, inside=FORWARD),
)

gpt.mistake(
    "positions counted from 1",
    "Your positions begin with 1: the first token gets the second vector of the table, and for the last token of a full text there is none left. The first token has position 0: `torch.arange(seq_len)`.",
    edit({PLACED: "x = x + self.position_embedding(torch.arange(1, seq_len + 1))"}, inside=FORWARD),
    edit({PLACED: "x = x + self.position_embedding.weight.roll(-1, 0)[:seq_len]"}, inside=FORWARD),
    edit(
        {PLACED: "x = x + self.position_embedding(torch.arange(1, seq_len + 1).clamp(max=config.max_len - 1))"},
        inside=FORWARD,
    ),
)

gpt.mistake(
    "positions of the batch's rows",
    "Your positions count the rows of the batch, not the places of a text. Every token of a text gets the same vector, and it depends on who else is in the batch. Count `ids.size(1)`.",
    edit(
        {PLACED: "x = x + self.position_embedding(torch.arange(ids.size(0)) % config.max_len)[:, None]"}, inside=FORWARD
    ),
)

gpt.mistake(
    "one position for all",
    "All places of a text get the same position's vector. A table indexed by a number gives one row, `table[n]`; by a slice or by `torch.arange(n)` it gives n rows.",
    edit({PLACED: "x = x + self.position_embedding.weight[seq_len - 1]"}, inside=FORWARD),
    edit({PLACED: "x = x + self.position_embedding.weight[0]"}, inside=FORWARD),
    edit({PLACED: "x = x + self.position_embedding.weight[min(seq_len, config.max_len - 1)]"}, inside=FORWARD),
)

gpt.mistake(
    "positions counted from the end",
    "Your positions run backwards: the last token has position 0. Every new token would then change the position of all others. The first has 0.",
    edit({PLACED: "x = x + self.position_embedding(torch.arange(seq_len - 1, -1, -1))"}, inside=FORWARD),
)

gpt.mistake(
    "positions by token",
    "Your positions are looked up by the tokens' ids. A token then has the same position wherever it stands. Look up 0, 1, 2, ...",
    edit({PLACED: "x = x + self.position_embedding(ids % config.max_len)"}, inside=FORWARD),
)

gpt.mistake(
    "positions in front of every block",
    "You add the positions before every block. They are added once, at the start: each block hands the sum on.",
    edit(
        {
            PLACED: "pass",
            RUN: "x, weights = layer(x if self.position_embedding is None else x + self.position_embedding(torch.arange(seq_len)))",
        },
        inside=FORWARD,
    ),
    edit(
        {
            RUN: "x, weights = layer(x if self.position_embedding is None else x + self.position_embedding(torch.arange(seq_len)))"
        },
        inside=FORWARD,
        says="You add the positions at the start, and once more before every block. They are added once: each block hands the sum on.",
    ),
)

gpt.mistake(
    "no dropout at the start",
    "The sum of token and position is not dropped out. In training `self.dropout` acts on it before the first block, or what it gave is thrown away.",
    edit({DROPPED: "pass"}, inside=FORWARD),
    edit(
        {DROPPED: f"{DROPPED} if self.position_embedding is None else x"},
        inside=FORWARD,
        says="Where positions are learned, nothing is dropped out at the start. In training `self.dropout` acts on the sum of token and position, as it acts on the tokens' vectors where positions are rotary.",
    ),
    edit(
        {DROPPED: f"{DROPPED} if self.position_embedding is not None else x"},
        inside=FORWARD,
        says="Without learned positions nothing is dropped out at the start. In training `self.dropout` acts on the tokens' vectors, whether positions were added to them or not: its line stands behind the `if`, not in it.",
    ),
)

gpt.mistake(
    "dropped out twice",
    "The sum of token and position is dropped out twice, so that less of it is left than the config says. `self.dropout` acts on it once, before the first block.",
    edit({DROPPED: "x = self.dropout(self.dropout(x))"}, inside=FORWARD),
    edit(
        {f"{LOOK_UP}  #": "x = self.dropout(self.token_embedding(ids))  #"},
        inside=FORWARD,
        says="The tokens' vectors are dropped out before the positions are added, and the sum once more. `self.dropout` acts once, on the sum of both.",
    ),
)

gpt.mistake(
    "dropout in the wrong mode",
    "Something is dropped out in evaluation too. `nn.functional.dropout` drops unless it is told `training=self.training`; `self.dropout` knows the mode by itself.",
    edit({DROPPED: "x = nn.functional.dropout(x, config.dropout)"}, inside=FORWARD),
    edit(
        {DROPPED: "x = nn.functional.dropout(x, config.dropout, not self.training)"},
        inside=FORWARD,
        says="Your dropout acts in evaluation, and not in training. The last argument of `nn.functional.dropout` is `self.training`, without `not`.",
    ),
)

gpt.mistake(
    "positions are added at the end",
    "The positions are added behind the last block. Until then no block knows where a token stands: add them before the first one.",
    edit(
        {
            PLACED: "pass",
            "self.norm(x)": "self.norm(x if self.position_embedding is None else x + self.position_embedding(torch.arange(seq_len)))",
        },
        inside=FORWARD,
    ),
)

gpt.mistake(
    "the table learns at one end only",
    "No gradient comes to the token table from the head. It serves at both ends, and learns at both: leave out `.detach()`, `.data` or `torch.no_grad()`.",
    edit({LOGITS: "logits = nn.functional.linear(self.norm(x), self.head.weight.detach())"}, inside=FORWARD),
    edit(
        {f"{LOOK_UP}  #": "x = self.token_embedding(ids).detach()  #"},
        inside=FORWARD,
        says="No gradient comes to the token table from the tokens that are read. It serves at both ends, and learns at both: leave out `.detach()`, `.data` or `torch.no_grad()`.",
    ),
)

gpt.mistake(
    "what should be refused is let pass",
    "A text longer than max_len is let pass. What is beyond was never trained, and what is cut off in silence is missed later: refuse it, with a ValueError.",
    edit({"if seq_len > config.max_len:": "if False:"}, inside=FORWARD),
    edit(
        {"not 0 <= int(ids.min()) <= int(ids.max()) < config.vocab_size": "False"},
        inside=FORWARD,
        says="An id that is not in the vocabulary is let pass, and an IndexError comes of it. Refuse it, with a ValueError that says what to give.",
    ),
    edit(
        {"if ids.numel() and not 0": "ids = ids.clamp(0, config.vocab_size - 1)\n        if ids.numel() and not 0"},
        inside=FORWARD,
        says="An id that is not in the vocabulary is let pass, as if it were another. Refuse it, with a ValueError that says what to give.",
    ),
)

gpt.mistake(
    "too much is refused",
    "A text of exactly max_len tokens is refused. It fits: there are as many positions. Only more are too many.",
    edit({"seq_len > config.max_len:": "seq_len >= config.max_len:"}, inside=FORWARD),
)

gpt.mistake(
    "positions are added after dropout",
    "You add the positions after the dropout. In training it should act on the sum of both.",
    edit(
        {f"{LOOK_UP}  #": f"{DROPPED.replace('(x)', '(self.token_embedding(ids))')}  #", f"{DROPPED}\n": "pass\n"},
        inside=FORWARD,
    ),
    edit(
        {
            PLACED: "x = x + self.dropout(self.position_embedding(torch.arange(seq_len, device=ids.device)))",
            DROPPED: f"{DROPPED} if self.position_embedding is None else x",
        },
        inside=FORWARD,
        says="Only the positions are dropped out where they are learned. In training the dropout should act on the sum of token and position.",
    ),
    edit(
        {
            f"{LOOK_UP}  #": f"{LOOK_UP} if self.position_embedding is None else self.dropout(self.token_embedding(ids))  #",
            DROPPED: f"{DROPPED} if self.position_embedding is None else x",
        },
        inside=FORWARD,
    ),
)

gpt.mistake(
    "every block reads the embedding",
    "Every block reads the embedded tokens, not what the block before it made. Only the last one counts then. What a block returns is what the next one reads.",
    edit(
        {"for layer in self.layers:": "start = x\n        for layer in self.layers:", RUN: "x, weights = layer(start)"},
        inside=FORWARD,
    ),
)

gpt.mistake(
    "what the blocks make is thrown away",
    "What your blocks make goes nowhere: the head reads the embedded tokens. What a block returns is what the next one reads: `x, weights = layer(x)`.",
    edit({RUN: "_, weights = layer(x)"}, inside=FORWARD),
)

gpt.mistake(
    "a block is missing",
    "Your model has too few blocks. It has `config.num_layers` of them, each a `GPTBlock(config)` of its own.",
    edit({LAYERS: "nn.ModuleList(GPTBlock(config) for _ in range(config.num_layers - 1))"}, inside=INIT),
    edit({LAYERS: "nn.ModuleList([GPTBlock(config)])"}, inside=INIT),
    edit(
        {"for layer in self.layers:": "for layer in self.layers[:-1]:"},
        inside=FORWARD,
        says="The last block is there, and nothing goes through it. Every block reads what the one before it has made.",
    ),
)

gpt.mistake(
    "layers in a plain list",
    "The blocks stand in a plain list, where torch does not find them. Their parameters are neither trained nor saved nor loaded, and `eval()` does not reach them. Use `nn.ModuleList`.",
    edit({LAYERS: "[GPTBlock(config) for _ in range(config.num_layers)]"}, inside=INIT),
)

gpt.mistake(
    "another sum around every block",
    "What a block returns is added to what it read once more. A block adds by itself, twice; its result is what the next one reads: `x, weights = layer(x)`.",
    edit({RUN: "made, weights = layer(x)\n            x = x + made"}, inside=FORWARD),
    edit(
        {
            "for layer in self.layers:": "start = x\n        for layer in self.layers:",
            "self.norm(x)": "self.norm(x + start)",
        },
        inside=FORWARD,
        says="What the blocks made is added to what the first one read once more. Each block adds by itself, twice; what the last one returns goes into the norm.",
    ),
)

gpt.mistake(
    "only the first block runs",
    "Only one block runs. The others are there, and nothing goes through them: is the `return`, or what follows the loop, inside it?",
    edit({"for layer in self.layers:": "for layer in self.layers[:1]:"}, inside=FORWARD),
    edit({"for layer in self.layers:": "for layer in self.layers[-1:]:"}, inside=FORWARD),
    edit(
        {RUN: "x, weights = self.layers[0](x)"},
        inside=FORWARD,
        says="The first block runs again and again, and nothing goes through the others. In the loop, each block has its turn.",
    ),
    edit(
        {RUN: "x, weights = self.layers[-1](x)"},
        inside=FORWARD,
        says="The last block runs again and again, and nothing goes through the others. In the loop, each block has its turn.",
    ),
)

gpt.mistake(
    "the blocks in reverse order",
    "Your blocks run from the last to the first. Trained so, a model learns all the same; with weights from elsewhere it says nothing that makes sense.",
    edit({"for layer in self.layers:": "for layer in reversed(self.layers):"}, inside=FORWARD),
)

gpt.mistake(
    "one block used over and over",
    "All your blocks are one: the same object, listed several times, with one set of parameters. `[block] * n` repeats a reference. Make a new block each time, in a comprehension.",
    edit({LAYERS: "nn.ModuleList([GPTBlock(config)] * config.num_layers)"}, inside=INIT),
)

gpt.mistake(
    "softmax before the loss",
    "You return probabilities. The loss takes a softmax itself, and a second one makes everything almost equal: the loss stays near that of guessing. Return the scores.",
    edit({LOGITS: "logits = self.head(self.norm(x)).softmax(dim=-1)"}, inside=FORWARD),
)

gpt.mistake(
    "logarithms of probabilities",
    "You return logarithms of probabilities. A later softmax would not notice; but what is asked for are the head's scores as they are, as whoever ties or compares models expects.",
    edit({LOGITS: "logits = self.head(self.norm(x)).log_softmax(dim=-1)"}, inside=FORWARD),
)

gpt.mistake(
    "the head is left out",
    "What comes back are the last vectors, one of d_model numbers for each place. The head makes scores of them, one for every token of the vocabulary: `self.head(self.norm(x))`.",
    edit({LOGITS: "logits = self.norm(x)"}, inside=FORWARD),
    edit({LOGITS: "logits = x"}, inside=FORWARD),
)

gpt.mistake(
    "the best token instead of scores",
    "You return the id of the best token at each place. A loss needs the scores of all tokens, and so does whoever draws the next one: return the logits.",
    edit({LOGITS: "logits = self.head(self.norm(x)).argmax(dim=-1)"}, inside=FORWARD),
)

gpt.mistake(
    "weights come back unasked",
    "The weights come back although nobody asked for them. Without `return_weights` the model gives the logits alone.",
    edit({"(logits, all_weights) if return_weights else logits": "(logits, all_weights)"}, inside=FORWARD),
    edit(
        {"(logits, all_weights) if return_weights else logits": "logits"},
        inside=FORWARD,
        says="The weights never come back. With `return_weights` the model gives `(logits, weights)`.",
    ),
    edit(
        {"if return_weights else logits": "if not return_weights else logits"},
        inside=FORWARD,
        says="The weights come back when nobody asks for them, and only then. With `return_weights` the model gives `(logits, weights)`, without it the logits alone.",
    ),
    edit(
        {"(logits, all_weights) if": "(all_weights, logits) if"},
        inside=FORWARD,
        says="Your results have changed places. First the logits, then the list of weights.",
    ),
)

gpt.mistake(
    "only the last place",
    "You score the last place only. That is what writing needs; in training every place is asked. Return a row of logits for each place.",
    edit({LOGITS: "logits = self.head(self.norm(x))[:, -1:]"}, inside=FORWARD),
    edit({LOGITS: "logits = self.head(self.norm(x))[:, -1]"}, inside=FORWARD),
)

gpt.mistake(
    "the last place is not scored",
    "Your logits lack the last place. The model scores every place, also the last, from whose scores the next token is drawn; the *loss* leaves it out.",
    edit({LOGITS: "logits = self.head(self.norm(x))[:, :-1]"}, inside=FORWARD),
)

gpt.mistake(
    "the weights are no list of blocks",
    "The weights come back in another form than a list with one tensor for each block.",
    edit(
        {KEEP: "all_weights += weights"},
        inside=FORWARD,
        says="Your list of weights has an entry for each text of each block. `+=` and `extend` put the *parts* of a tensor into the list; `append` puts in the tensor: one for each block.",
    ),
    edit(
        {"return (logits, all_weights)": "return (logits, torch.stack(all_weights))"},
        inside=FORWARD,
        says="Your weights are one tensor of all blocks. Asked for weights, the model gives a list with one tensor for each block.",
    ),
    edit(
        {"return (logits, all_weights)": "return (logits, torch.cat(all_weights))"},
        inside=FORWARD,
        says="Your weights are one tensor of all blocks. Asked for weights, the model gives a list with one tensor for each block.",
    ),
    *(
        edit(
            {"return (logits, all_weights)": f"return (logits, torch.{how}(all_weights, dim=1))"},
            inside=FORWARD,
            says="Your weights are one tensor of all blocks. Asked for weights, the model gives a list with one tensor for each block.",
        )
        for how in ("stack", "cat")
    ),
    edit(
        {"return (logits, all_weights)": "return (logits, sum(all_weights) / len(all_weights))"},
        inside=FORWARD,
        says="Your weights are the mean over all blocks. Asked for weights, the model gives a list with one tensor for each block.",
    ),
    edit(
        {KEEP: "all_weights.append(weights.mean(dim=1))"},
        inside=FORWARD,
        says="Your weights are the means over the heads. Each head looks elsewhere, and whoever asks for weights wants to see which: (batch, num_heads, seq_len, seq_len).",
    ),
    edit(
        {KEEP: "all_weights.append(x)"},
        inside=FORWARD,
        says="Your list holds what each block made of the tokens, and not its weights. A block returns two things: the tokens first, then the weights.",
    ),
    edit(
        {"return (logits, all_weights)": "return (logits, all_weights[:-1])"},
        inside=FORWARD,
        says="The last block's weights are missing. Asked for weights, the model gives a list with one tensor for each block.",
    ),
    edit(
        {KEEP: "all_weights.insert(0, weights)"},
        inside=FORWARD,
        says="Your weights stand in the reverse order. The first block's come first: `append`.",
    ),
)

gpt.mistake(
    "old weights are still in the list",
    "The list of weights still holds those of earlier calls. A list that is kept in the model grows with every text, and memory with it. Begin an empty list in `forward`.",
    edit(
        {"all_weights = []": "all_weights = self.__dict__.setdefault('kept', [])"},
        inside=FORWARD,
    ),
)

gpt.mistake(
    "weights of the last block only",
    "You return the weights of one block. Asked for weights, the model gives a list with one tensor for each block.",
    edit({KEEP: "all_weights = [weights]"}, inside=FORWARD),
    edit({KEEP: "all_weights = weights"}, inside=FORWARD),
    edit({"return (logits, all_weights)": "return (logits, all_weights[0])"}, inside=FORWARD),
    edit({"return (logits, all_weights)": "return (logits, all_weights[:1])"}, inside=FORWARD),
)
