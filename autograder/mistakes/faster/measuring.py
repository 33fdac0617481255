"""Wrong ways of measuring and of counting."""

from autograder.checks.faster import flops, memory, stopwatch
from autograder.probing.mistake import edit

# stopwatch ----------------------------------------------------------------------------

WARM = "for _ in range(warmup):\n        run()\n    times"
FIRST = "synchronize()\n        start"
LAST = "run()\n        synchronize()\n        times"
ROUND = "for _ in range(repeats):\n        synchronize()\n        start = clock()\n        run()\n        synchronize()\n        times.append(clock() - start)\n    return median(times)"

ONCE_FOR_ALL = "synchronize()\n    start = clock()\n    for _ in range(repeats):\n        run()"

stopwatch.mistake(
    "warm-up counted",
    "The calls of the warm-up are among the times. The first calls allocate, compile and fill caches; they take longer and say nothing of the later ones. Call `run` for them outside the measured loop.",
    {WARM: "times", "range(repeats)": "range(warmup + repeats)"},
)

stopwatch.mistake(
    "no warm-up",
    "There is no warm-up: `run` is called `repeats` times, and the long first calls are among those that are measured. Call it `warmup` times first, and throw these times away.",
    {WARM: "times"},
)

stopwatch.mistake(
    "another number of warm-ups",
    "`run` is warmed up another number of times than `warmup` says.",
    edit(
        {WARM: "run()\n    times"},
        says="`run` is warmed up once, whatever `warmup` says: call it `warmup` times, which may be 0.",
    ),
    edit({"range(warmup)": "range(warmup + 1)"}, says="`run` is warmed up once more than `warmup` says."),
    edit(
        {WARM: "if warmup:\n        run()\n    times"},
        says="`run` is warmed up once, however many times `warmup` says.",
    ),
    edit({"range(warmup)": "range(warmup - 1)"}, says="`run` is warmed up once less than `warmup` says."),
)

stopwatch.mistake(
    "warm-up taken from the measured calls",
    "`run` is called `repeats` times, and the first `warmup` of these times are thrown away. So fewer calls are measured than promised, or none. The warm-up comes on top: `warmup + repeats` calls in all.",
    {WARM: "times", "median(times)": "median(times[warmup:])"},
    {WARM: "times", "range(repeats)": "range(warmup, repeats)"},
    edit(
        {"median(times)": "median(times[warmup:])"},
        says="The warm-up comes first, and then the first `warmup` of the measured times are thrown away as well. All `repeats` of them count.",
    ),
)

stopwatch.mistake(
    "another number of measured calls",
    "Another number of calls is measured than `repeats` says.",
    edit({"range(repeats)": "range(repeats + 1)"}, says="One call more is measured than `repeats` says."),
    edit({"range(repeats)": "range(repeats - 1)"}, says="One call less is measured than `repeats` says."),
    edit(
        {"median(times)": "median(times[1:] or times)"},
        says="The first measured time is thrown away. The warm-up is over by then: all `repeats` times count.",
    ),
)

stopwatch.mistake(
    "no synchronise before the first reading",
    "The clock starts while the device still works on something earlier, so the first time you measure holds that as well. Call `synchronize()` directly before the first reading.",
    {FIRST: "start"},
    {WARM: "for _ in range(warmup):\n        run()\n        synchronize()\n    times", FIRST: "start"},
)

stopwatch.mistake(
    "the clock starts before the waiting",
    "The clock is read and then `synchronize()` is called, so that what the device still had to do is measured too. Wait first, then read the clock.",
    {"synchronize()\n        start = clock()": "start = clock()\n        synchronize()"},
)

BETWEEN = "synchronize()\n        start = clock()\n        run()\n        synchronize()\n"
stopwatch.mistake(
    "no synchronise before the last reading",
    "The second reading is taken before the device has finished: your time is how long it takes to hand the work over. A call that is handed over in many small pieces then looks slow, and a long one fast. Call `synchronize()` between `run()` and the second reading, and before the first. A library's benchmark was made without, and its ranking was the wrong way round.",
    {LAST: "run()\n        times"},
    {BETWEEN: "start = clock()\n        run()\n"},
    {
        BETWEEN: "start = clock()\n        run()\n",
        WARM: "for _ in range(warmup):\n        run()\n    synchronize()\n    times",
    },
    edit(
        {
            LAST: "run()\n        times",
            WARM: "times",
            "range(repeats)": "range(warmup + repeats)",
            "median(times)": "sum(times) / len(times)",
        },
        says="The second reading is taken before the device has finished: your time is how long it takes to hand the work over. Besides, the calls of the warm-up are among your times, and you give a mean, which one disturbed call moves, and not the median.",
    ),
)

stopwatch.mistake(
    "mean instead of median",
    "You give the mean of the times. One call that was disturbed by something else moves a mean as far as it likes; it does not move a median.",
    {"median(times)": "sum(times) / len(times)"},
    {ROUND: f"{ONCE_FOR_ALL}\n        synchronize()\n    return (clock() - start) / repeats"},
)

stopwatch.mistake(
    "the shortest time",
    "You give the shortest time. Some people prefer it; promised is the median.",
    {"median(times)": "min(times)"},
)

stopwatch.mistake(
    "all calls at once, divided",
    "You measure all calls at once and divide by their number. That is a mean, which one disturbed call moves; and on a device the calls run into each other, so the handing over is hidden behind the work. Measure each call by itself.",
    {ROUND: f"{ONCE_FOR_ALL}\n    synchronize()\n    return (clock() - start) / repeats"},
    edit(
        {ROUND: "start = clock()\n    for _ in range(repeats):\n        run()\n    synchronize()\n    return (clock() - start) / repeats"},
        says="You measure all calls at once, without waiting for the device before you start, and divide by their number. Measure each call by itself, between two moments in which the device has nothing to do.",
    ),
)  # fmt: skip

stopwatch.mistake(
    "one of the two in the middle",
    "For an even number of times you give one of the two in the middle, not their mean.",
    edit(
        {"median(times)": "sorted(times)[(len(times) - 1) // 2]"},
        says="For an even number of times you give the lower of the two in the middle. `torch.median` does that; promised is their mean, as `statistics.median` gives it.",
    ),
    edit(
        {"median(times)": "sorted(times)[len(times) // 2]"},
        says="For an even number of times you give the higher of the two in the middle. Promised is their mean, as `statistics.median` gives it.",
    ),
)

stopwatch.mistake(
    "middle of the unsorted times",
    "You take the time that stands in the middle of the list. The median stands in the middle of the *sorted* list.",
    {"median(times)": "times[len(times) // 2]"},
)

stopwatch.mistake(
    "sum of the times",
    "You give the sum of all times. Promised is the median of single calls.",
    {"median(times)": "sum(times)"},
)

stopwatch.mistake(
    "the last time",
    "You give the time of the last call alone. One call may have been disturbed: keep all times, and take their median.",
    {"median(times)": "times[-1]"},
)

stopwatch.mistake(
    "the longest time",
    "You give the longest time. One call that was disturbed by something else decides it; promised is the median.",
    {"median(times)": "max(times)"},
)

stopwatch.mistake(
    "the first time",
    "You give the time of the first measured call alone. One call may have been disturbed: measure all `repeats`, keep all times, and take their median. (A `return` inside the loop ends it after one call.)",
    {"    return median(times)": "        return median(times)"},
    {"median(times)": "times[0]"},
)

stopwatch.mistake(
    "one start for all calls",
    "The clock is read once before all calls, and every time counts from there. So the second time holds the first call too. Read it anew for each call: `start = clock()` stands inside the loop.",
    {
        "synchronize()\n        start = clock()\n        ": "",
        "times = []\n    ": "times = []\n    synchronize()\n    start = clock()\n    ",
    },
    {"start = clock()\n        ": "", "times = []\n    ": "times = []\n    start = clock()\n    "},
    {"start = clock()\n        ": "", "times = []\n    ": "times = []\n    synchronize()\n    start = clock()\n    "},
)

stopwatch.mistake(
    "minus the time",
    "Your time is negative: the two readings are subtracted the wrong way round. It is the later minus the earlier, `clock() - start`.",
    {"clock() - start": "start - clock()"},
)

stopwatch.mistake(
    "milliseconds",
    "Your time is in milliseconds. Promised are seconds, as the clock gives them.",
    {"median(times)": "1000 * median(times)"},
)

stopwatch.mistake(
    "another clock",
    "You never ask the clock that you were given. Your time is that of another, such as `time.perf_counter`, which is not the device's; and nobody can try your stopwatch with a clock of their own. The time is `clock()`.",
    {"start = clock()": "start = perf_counter()", "clock() - start": "perf_counter() - start", WARM: f"from time import perf_counter\n\n    {WARM}"},
)  # fmt: skip

# flops ----------------------------------------------------------------------------

PROJECTIONS = "4 * 2 * seq_len * config.d_model**2"
ATTENTION = "2 * 2 * seq_len**2 * config.d_model"
FEED_FORWARD = "2 * 2 * seq_len * config.d_model * config.d_ff"
HEAD = "head = 2 * seq_len * config.d_model * config.vocab_size"
ALL = "config.num_layers * (projections + attention + feed_forward) + head"

flops.mistake(
    "a multiply-add counted once",
    "Your number is half of what is promised: you count a multiply and an add as one. Some papers do, and call it MACs. Here each counts by itself: 2 · rows · inner · columns.",
    {
        PROJECTIONS: "4 * seq_len * config.d_model**2",
        ATTENTION: "2 * seq_len**2 * config.d_model",
        FEED_FORWARD: "2 * seq_len * config.d_model * config.d_ff",
        HEAD: "head = seq_len * config.d_model * config.vocab_size",
    },
)

flops.mistake(
    "half of the head",
    "You count half of what the head computes. The result of (seq_len, d_model) times (d_model, vocab_size) takes a multiplication and an addition for each of its products: 2 · seq_len · d_model · vocab_size.",
    {HEAD: "head = seq_len * config.d_model * config.vocab_size"},
)

flops.mistake(
    "half of the attention",
    "You count half of what the attention computes. Either one of its two products is missing (queries with keys, weights with values), or the causal half is taken off, which our attention computes as well, and then hides; or a multiply and an add count as one there.",
    {ATTENTION: "2 * seq_len**2 * config.d_model"},
    edit(
        {ATTENTION: "2 * seq_len * (seq_len + 1) * config.d_model"},
        says="You count only the keys that a causal mask shows: half of the matrix, and its diagonal. Our attention computes the other half as well, and then hides it. It is promised to be counted.",
    ),
)

flops.mistake(
    "attention missing",
    "The two products of the attention are missing: queries with keys, and weights with values. They have no parameters, so they are easy to forget; in a long text they are most of the work.",
    {"projections + attention + feed_forward": "projections + feed_forward"},
)

flops.mistake(
    "every head as wide as the model",
    "You count the attention's products as if every head had d_model features. A head has d_model / num_heads of them, so all heads together compute 2 · 2 · seq_len² · d_model.",
    {ATTENTION: "2 * 2 * seq_len**2 * config.d_model * config.num_heads"},
    edit(
        {PROJECTIONS: "4 * 2 * seq_len * config.d_model**2 * config.num_heads"},
        says="You count the projections once for every head. All heads share one matrix for the queries, one for the keys and one for the values: each is (d_model, d_model).",
    ),
    edit(
        {
            PROJECTIONS: "4 * 2 * seq_len * config.d_model**2 * config.num_heads",
            ATTENTION: "2 * 2 * seq_len**2 * config.d_model * config.num_heads",
        },
        says="You count projections and attention as if every head had d_model features. A head has d_model / num_heads of them: the number of heads falls out.",
    ),
)

flops.mistake(
    "one head alone",
    "You count the attention of one head: its products have d_model / num_heads features, and there are num_heads such heads.",
    {ATTENTION: "2 * 2 * seq_len**2 * config.d_model // config.num_heads"},
    edit(
        {PROJECTIONS: "4 * 2 * seq_len * config.d_model**2 // config.num_heads"},
        says="You count the projections of one head, d_model / num_heads features wide. All heads together have d_model features: each of the four matrices is (d_model, d_model).",
    ),
    edit(
        {
            PROJECTIONS: "4 * 2 * seq_len * config.d_model**2 // config.num_heads",
            ATTENTION: "2 * 2 * seq_len**2 * config.d_model // config.num_heads",
        },
        says="You count the projections and the products of one head, d_model / num_heads features wide. There are num_heads such heads.",
    ),
)

flops.mistake(
    "d_ff taken for four times d_model",
    "You count a feed-forward network that is four times as wide as the model. That is usual; here its width is `config.d_ff`.",
    {FEED_FORWARD: "2 * 2 * seq_len * config.d_model * 4 * config.d_model"},
)

flops.mistake(
    "attention over max_len",
    "In your attention each token asks max_len others. It asks those that are there, seq_len of them; max_len is how many there may be.",
    {ATTENTION: "2 * 2 * seq_len * config.max_len * config.d_model"},
    {ATTENTION: "2 * 2 * config.max_len**2 * config.d_model"},
)

flops.mistake(
    "attention grows with the length",
    "Your attention grows with the length of the text. Every token asks every token: it grows with the square of the length.",
    {ATTENTION: "2 * 2 * seq_len * config.d_model"},
    {ATTENTION: "2 * 2 * seq_len * config.d_model**2"},
)

flops.mistake(
    "head left out",
    "The head is missing: (seq_len, d_model) times (d_model, vocab_size). Its matrix is the token table, which is looked up at the start, and multiplied with at the end.",
    {" + head": ""},
)

flops.mistake(
    "head of one token",
    "You count the head for one token. When a text is written, the last token's scores are enough; a forward pass gives scores for every token, and so do the formulas: (seq_len, d_model) times (d_model, vocab_size).",
    {HEAD: "head = 2 * config.d_model * config.vocab_size"},
)

flops.mistake(
    "head in every block",
    "You count the head once for every block. It comes once, after the last.",
    {"(projections + attention + feed_forward) + head": "(projections + attention + feed_forward + head)"},
)

flops.mistake(
    "one block alone",
    "You count one block. There are num_layers of them.",
    {"config.num_layers * (projections": "(projections"},
)

flops.mistake(
    "another number of projections",
    "You count another number of projections than four.",
    edit({PROJECTIONS: "3 * 2 * seq_len * config.d_model**2"}, says="You count three projections: a block has four. After queries, keys and values comes the output projection, which mixes the heads."),
    edit({PROJECTIONS: "2 * seq_len * config.d_model**2"}, says="You count one projection: a block has four, for queries, keys, values and the output."),
    edit({PROJECTIONS: "2 * 2 * seq_len * config.d_model**2"}, says="You count half of what the four projections compute. Either two of them are missing, or a multiply and an add count as one there."),
    edit({PROJECTIONS: "0"}, says="The projections are missing: a block has four, for queries, keys, values and the output."),
)  # fmt: skip

flops.mistake(
    "one matrix in the feed-forward network",
    "You count half of what the feed-forward network computes. Either one of its two matrices is missing (to d_ff, and back), or a multiply and an add count as one there.",
    {FEED_FORWARD: "2 * seq_len * config.d_model * config.d_ff"},
)

flops.mistake(
    "three matrices in the feed-forward network",
    "You count three matrices of the feed-forward network, as a gated one has (SwiGLU). Ours has two: to d_ff, and back.",
    {FEED_FORWARD: "3 * 2 * seq_len * config.d_model * config.d_ff"},
)

flops.mistake(
    "feed-forward network left out",
    "The feed-forward network is missing: (seq_len, d_model) times (d_model, d_ff), and back. In most models that is most of the work.",
    {"projections + attention + feed_forward": "projections + attention"},
)

flops.mistake(
    "the tokens left out",
    "A product is counted for one token alone.",
    edit({PROJECTIONS: "4 * 2 * config.d_model**2"}, says="You count the projections of one token. Every token is projected: seq_len rows."),
    edit({FEED_FORWARD: "2 * 2 * config.d_model * config.d_ff"}, says="You count the feed-forward network of one token. Every token goes through it: seq_len rows."),
    edit({PROJECTIONS: "4 * 2 * config.d_model**2", FEED_FORWARD: "2 * 2 * config.d_model * config.d_ff"}, says="You count projections and the feed-forward network of one token. Every token goes through them: seq_len rows."),
    edit({PROJECTIONS: "4 * 2 * config.d_model**2", FEED_FORWARD: "2 * 2 * config.d_model * config.d_ff", HEAD: "head = 2 * config.d_model * config.vocab_size"}, says="You count projections, the feed-forward network and the head of one token. Every token goes through them: seq_len rows."),
)  # fmt: skip

flops.mistake(
    "one addition less in each sum",
    "You count the additions one by one: a sum of n products takes n - 1. The convention that is promised counts two for each product, 2 · rows · inner · columns.",
    {
        PROJECTIONS: "4 * seq_len * config.d_model * (2 * config.d_model - 1)",
        ATTENTION: "seq_len**2 * (2 * config.d_model - config.num_heads) + seq_len * config.d_model * (2 * seq_len - 1)",
        FEED_FORWARD: "seq_len * config.d_ff * (2 * config.d_model - 1) + seq_len * config.d_model * (2 * config.d_ff - 1)",
        HEAD: "head = seq_len * config.vocab_size * (2 * config.d_model - 1)",
    },
)

flops.mistake(
    "the softmax counted",
    "You count the softmax too, or the scaling of the scores: so many operations for each score of each head. Only matrix products are counted here.",
    *(
        edit({ATTENTION: f"{ATTENTION} + {each}config.num_heads * seq_len**2"})
        for each in ("", "2 * ", "3 * ", "4 * ", "5 * ")
    ),
)

flops.mistake(
    "biases counted",
    "You count the biases of the linear layers as well: one addition for each number that comes out. They are few, and are not counted here.",
    {
        PROJECTIONS: "4 * seq_len * (2 * config.d_model**2 + config.d_model)",
        FEED_FORWARD: "seq_len * (2 * 2 * config.d_model * config.d_ff + config.d_ff + config.d_model)",
    },
    {PROJECTIONS: "4 * seq_len * (2 * config.d_model**2 + config.d_model)"},
)

flops.mistake(
    "looking up counted as a product",
    "You count the token table twice: at the start as well, as if it were multiplied with. There a row is looked up, which takes no multiplication.",
    {HEAD: "head = 2 * 2 * seq_len * config.d_model * config.vocab_size"},
    edit(
        {HEAD: "head = 2 * seq_len * config.d_model * config.vocab_size + seq_len * config.d_model"},
        says="You count looking up the tokens: seq_len · d_model operations more. A row of a table is looked up, or added, without a matrix product.",
    ),
    edit(
        {HEAD: "head = 2 * seq_len * config.d_model * config.vocab_size + 2 * seq_len * config.d_model"},
        says="You count looking up tokens and positions: 2 · seq_len · d_model operations more. Rows of tables are looked up, and added, without a matrix product.",
    ),
)

flops.mistake(
    "backward pass counted too",
    "Your number is three times what is promised. A backward pass takes about twice what the forward pass takes; asked for is the forward pass.",
    {ALL: "3 * (config.num_layers * (projections + attention + feed_forward) + head)"},
)

flops.mistake(
    "of one token",
    "Your number is that of one token: what is promised, divided by the length of the text. Asked for is the whole text.",
    {ALL: "(config.num_layers * (projections + attention + feed_forward) + head) // seq_len"},
)

flops.mistake(
    "as long as may be",
    "You count a text of max_len tokens, whatever seq_len says.",
    {"projections = 4": "seq_len = config.max_len\n    projections = 4"},
)

PARAMETERS = "(config.vocab_size + config.max_len) * config.d_model + config.num_layers * (4 * (config.d_model**2 + config.d_model) + 2 * config.d_model * config.d_ff + config.d_ff + 5 * config.d_model) + 2 * config.d_model"
flops.mistake(
    "two for each parameter",
    "You take two operations for each parameter and token, a rule of thumb. It counts biases, norms and the table of positions, which are no matrix products, and leaves out the attention, which has no parameters.",
    {ALL: f"2 * seq_len * ({PARAMETERS})"},
)

# memory ----------------------------------------------------------------------------

LINEARS = "4 * (d_model**2 + d_model) + (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)"
POSITIONS = 'config.max_len * d_model if config.positions == "learned" else 0'
BLOCKS = "config.num_layers * (linears + 2 * norm)"
KEPT = "config.num_layers * (6 * tokens * d_model + tokens * d_ff + attention) + tokens * d_model"
SCORES = "batch * config.num_heads * seq_len**2"

memory.mistake(
    "the head counted again",
    "You count the token table twice, once more for the head. The two are one parameter, tied in lesson 14: it is held once, and has one gradient.",
    {"parameters = config.vocab_size * d_model": "parameters = 2 * config.vocab_size * d_model"},
    {"parameters = config.vocab_size * d_model": "parameters = 2 * config.vocab_size * d_model + config.vocab_size"},
)

memory.mistake(
    "a bias of the head",
    "You count a bias of the head, vocab_size numbers. The head is the token table once more, and has none.",
    {"parameters = config.vocab_size * d_model": "parameters = config.vocab_size * (d_model + 1)"},
)

memory.mistake(
    "positions left out",
    "The table of positions is missing. Where positions are learned, it holds max_len vectors.",
    {POSITIONS: "0"},
)

memory.mistake(
    "rotary positions have a table",
    "You count a table of positions where they are rotary too. Rotary positions turn queries and keys, and have no parameter.",
    {POSITIONS: "config.max_len * d_model"},
    edit(
        {POSITIONS: 'config.max_len * d_model if config.positions == "rotary" else 0'},
        says="You count a table of positions where they are rotary, and none where they are learned: it is the other way round. Rotary positions turn queries and keys, and have no parameter.",
    ),
)

memory.mistake(
    "positions as long as the text",
    "Your table of positions has seq_len vectors. It holds max_len of them, however short the text is.",
    {POSITIONS: 'seq_len * d_model if config.positions == "learned" else 0'},
)

memory.mistake(
    "biases left out",
    "Biases of linear layers are missing.",
    edit({LINEARS: "4 * d_model**2 + 2 * d_model * d_ff"}, says="The biases of the linear layers are missing: one number for each feature that comes out."),
    edit({LINEARS: "4 * d_model**2 + (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)"}, says="Each block lacks 4 · d_model numbers. As many are the biases of its four projections, and as many its two norms: see which of them you left out."),
    edit({LINEARS: "4 * (d_model**2 + d_model) + 2 * d_model * d_ff"}, says="The biases of the feed-forward network are missing: d_ff numbers and d_model numbers."),
    edit({LINEARS: "4 * d_model**2 + d_model + (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)"}, says="Three of the four projections have no bias in your count. Each of them has d_model numbers."),
    edit({"(d_model * d_ff + d_ff)": "d_model * d_ff"}, says="Each block lacks d_ff numbers: the bias of the feed-forward network's first layer, one for each of its features."),
    edit({"(d_ff * d_model + d_model)": "d_ff * d_model"}, says="Each block lacks d_model numbers. As many are the bias of the feed-forward network's second layer, and as many that of a projection: see which of them you left out."),
)  # fmt: skip

memory.mistake(
    "another number of projections",
    "You count the parameters of another number of projections than four.",
    edit({"4 * (d_model**2 + d_model)": "3 * (d_model**2 + d_model)"}, says="You count the parameters of three projections: a block has four. After queries, keys and values comes the output projection."),
    edit({"4 * (d_model**2 + d_model)": "(d_model**2 + d_model)"}, says="You count the parameters of one projection: a block has four, for queries, keys, values and the output."),
    edit({"4 * (d_model**2 + d_model)": "config.num_heads * 4 * (d_model**2 + d_model)"}, says="You count the projections once for every head. All heads share four matrices of (d_model, d_model)."),
)  # fmt: skip

memory.mistake(
    "one matrix in the feed-forward network",
    "You count the parameters of one linear layer in the feed-forward network. It has two: to d_ff, and back.",
    {" + (d_ff * d_model + d_model)": ""},
)

memory.mistake(
    "norms left out",
    "Parameters of norms are missing.",
    edit({"norm = 2 * d_model": "norm = 0"}, says="The norms are missing: two in a block and one after the last, each with a weight and a bias of d_model numbers."),
    edit({"norm = 2 * d_model": "norm = d_model"}, says="Your norms have d_model numbers each. They have a weight and a bias: twice as many."),
    edit({f"{BLOCKS} + norm": BLOCKS}, says="The norm after the last block is missing."),
    edit({"(linears + 2 * norm)": "(linears + norm)"}, says="You count one norm in a block. It has two: before the attention, and before the feed-forward network."),
)  # fmt: skip

memory.mistake(
    "the parameters of one block",
    "You count the parameters of one block. There are num_layers of them.",
    {BLOCKS: "(linears + 2 * norm)"},
)

memory.mistake(
    "d_ff taken for four times d_model",
    "You count a feed-forward network that is four times as wide as the model. That is usual; here its width is `config.d_ff`.",
    {"d_ff, tokens = config.d_model, config.d_ff,": "d_ff, tokens = config.d_model, 4 * config.d_model,"},
    edit(
        {"tokens * d_ff": "tokens * 4 * d_model"},
        says="You count four times d_model hidden features for each token. That is usual; here they are `config.d_ff`.",
    ),
    edit(
        {LINEARS: "4 * (d_model**2 + d_model) + 8 * d_model**2 + 5 * d_model"},
        says="You count the parameters of a feed-forward network that is four times as wide as the model. That is usual; here its width is `config.d_ff`.",
    ),
)

memory.mistake(
    "the token table left out",
    "The token table is missing: vocab_size vectors of d_model numbers. The head has no matrix of its own, but the table is held.",
    {"parameters = config.vocab_size * d_model + positions": "parameters = positions"},
    edit(
        {"parameters = config.vocab_size * d_model + positions": "parameters = 0"},
        says="The tables are missing: vocab_size vectors for the tokens, and max_len for the positions where they are learned.",
    ),
)

memory.mistake(
    "activations of max_len tokens",
    "Your activations are those of texts of max_len tokens. The texts have seq_len of them; max_len is how many there may be.",
    {"batch * seq_len": "batch * config.max_len"},
    {"batch * seq_len": "batch * config.max_len", SCORES: "batch * config.num_heads * config.max_len**2"},
)

memory.mistake(
    "another number for AdamW",
    "AdamW holds two numbers for each parameter, a mean of the gradients and one of their squares.",
    edit({"2 * parameters": "parameters"}, says="You give AdamW one number for each parameter. It holds two: a mean of the gradients, and a mean of their squares."),
    edit({"2 * parameters": "3 * parameters"}, says="You give AdamW three numbers for each parameter. It holds two, a mean of the gradients and a mean of their squares; the weights are counted by themselves."),
    edit({"2 * parameters": "0"}, says="Your optimizer holds nothing. AdamW holds two numbers for each parameter, a mean of the gradients and a mean of their squares."),
)  # fmt: skip

memory.mistake(
    "numbers instead of bytes",
    "You count numbers, or bits, or larger units. Asked for are bytes, four to each number.",
    edit({"4 * count": "count"}, says="You count numbers. Asked for are bytes, and a number in float32 has four."),
    edit({"4 * count": "2 * count"}, says="Your numbers have two bytes. In float32 a number has four."),
    edit({"4 * count": "8 * count"}, says="Your numbers have eight bytes, as in float64. In float32 a number has four."),
    edit({"4 * count": "(1 if name == 'activations' else 4) * count"}, says="You count activations in numbers. Asked for are bytes, and a number in float32 has four."),
    edit({"4 * count": "(4 if name == 'activations' else 1) * count"}, says="You count parameters in numbers. Asked for are bytes, and a number in float32 has four."),
    edit({"4 * count": "32 * count"}, says="You count bits. Asked for are bytes, and a number in float32 has four."),
)  # fmt: skip

memory.mistake(
    "the batch left out",
    "Your activations do not grow with the number of texts as they should: every text of a batch keeps its own.",
    edit({"batch * seq_len": "seq_len", SCORES: "config.num_heads * seq_len**2"}, says="Your activations are those of one text. Every text of a batch keeps its own."),
    edit({SCORES: "config.num_heads * seq_len**2"}, says="You count the attention weights of one text. Every text of a batch has its own."),
    edit({"batch * seq_len": "seq_len"}, says="You count the attention weights of all texts, and of the other tensors those of one text. Every text of a batch keeps its own."),
)  # fmt: skip

memory.mistake(
    "another size of attention weights",
    "Your attention weights are not one matrix of (seq_len, seq_len) for each head of each text.",
    edit({SCORES: "config.num_heads * tokens**2"}, says="You count attention weights between all tokens of the batch. A token asks those of its own text: seq_len² numbers for each head of each text, and not the square of batch · seq_len."),
    edit({SCORES: "batch * config.num_heads * seq_len * config.max_len"}, says="In your attention weights each token asks max_len others. It asks those that are there, seq_len of them."),
    edit({SCORES: "batch * config.num_heads * config.max_len**2"}, says="Your attention weights are those of a text of max_len tokens. The text has seq_len of them."),
    edit({SCORES: "batch * config.num_heads * seq_len"}, says="Your attention weights grow with the length of the text. Every token asks every token: they grow with its square."),
)  # fmt: skip

memory.mistake(
    "the heads left out",
    "You count one map of attention weights in a block. Every head has its own, (seq_len, seq_len).",
    {SCORES: "batch * seq_len**2"},
)

memory.mistake(
    "attention weights left out",
    "The attention weights are missing: the product with the values reads them, so they are kept. They are what grows with the square of the length.",
    {" + attention)": ")"},
)

memory.mistake(
    "half of the attention weights",
    "You count half of the attention weights, as if the hidden half were not held. It is: the matrix is whole, with zeros in it.",
    {SCORES: "batch * config.num_heads * seq_len**2 // 2"},
    {SCORES: "batch * (config.num_heads * seq_len**2 // 2)"},
    {SCORES: "batch * config.num_heads * (seq_len**2 // 2)"},
    {SCORES: "batch * config.num_heads * seq_len * (seq_len + 1) // 2"},
)

memory.mistake(
    "scores counted beside the weights",
    "You count a second tensor of (seq_len, seq_len) for each head, such as the scores before the softmax. No matrix product reads them again, and only what the products read is counted here.",
    {SCORES: "2 * batch * config.num_heads * seq_len**2"},
)

memory.mistake(
    "hidden features left out",
    "The hidden features of the feed-forward network are missing: its second layer reads them, d_ff numbers for each token.",
    {" + tokens * d_ff": ""},
)

memory.mistake(
    "hidden features counted twice",
    "You count the hidden features twice, before and after the activation. No matrix product reads those before it, and only what the products read is counted here.",
    {"tokens * d_ff": "2 * tokens * d_ff"},
)

memory.mistake(
    "another number of tensors like the tokens",
    "A block keeps six tensors of the size of the tokens.",
    edit({"6 * tokens": "8 * tokens"}, says="In a block you count eight tensors of the size of the tokens, and six are asked for. What queries, keys and values are made of is one tensor, and counts once; the sums of the residual connections are read by no matrix product."),
    edit({"6 * tokens": "7 * tokens"}, says="In a block you count seven tensors of the size of the tokens, and six are asked for: after norm1, the queries, the keys, the values, the mixed values, after norm2."),
    edit({"6 * tokens": "5 * tokens"}, says="In a block you count five tensors of the size of the tokens, and six are asked for: after norm1, the queries, the keys, the values, the mixed values, after norm2."),
    edit({"6 * tokens": "4 * tokens"}, says="In a block you count four tensors of the size of the tokens, and six are asked for: after norm1, the queries, the keys, the values, the mixed values, after norm2."),
    edit({"6 * tokens": "3 * tokens"}, says="In a block you count three tensors of the size of the tokens, and six are asked for: after norm1, the queries, the keys, the values, the mixed values, after norm2."),
)  # fmt: skip

memory.mistake(
    "what the head reads left out",
    "What the head reads is missing: the tokens after the last norm.",
    {" + attention) + tokens * d_model": " + attention)"},
)

memory.mistake(
    "logits counted",
    "You count the logits. No matrix product reads them, and only what the products read is counted here. (With a large vocabulary they are much, and the loss does keep them.)",
    {" + attention) + tokens * d_model": " + attention) + tokens * d_model + tokens * config.vocab_size"},
)

memory.mistake(
    "the activations of one block",
    "You count the activations of one block. The backward pass needs those of all blocks.",
    {"config.num_layers * (6 * tokens": "(6 * tokens"},
)
