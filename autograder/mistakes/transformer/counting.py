"""The number of parameters."""

from autograder.checks.transformer import parameter_count
from autograder.probing.mistake import edit

# The reference's own words, which the edits replace.
ATTENTION, FEED_FORWARD = "4 * (d * d + d)", "(d * d_ff + d_ff) + (d_ff * d + d)"
FINAL = "2 * norm if config.norm_first else 0"
UNLESS_SHARED, UNLESS_TIED = "if not config.share_embeddings:", "if not config.tie_output:"
LAYERS = "config.num_layers * (encoder_layer + decoder_layer)"
SIZES = "d, d_ff = config.d_model, config.d_ff"
THE_REST = "+ final_norms + tables"

parameter_count.mistake(
    "biases of attention not counted",
    "The biases of the attentions are missing. Each of the four linear layers has d_model of them, beside its d_model · d_model weights.",
    {"d * d + d)": "d * d)"},
)
parameter_count.mistake(
    "biases of the feed-forward network not counted",
    "A bias of the feed-forward network is missing. `linear1` has d_ff of them, one for each number that it makes, and `linear2` has d_model.",
    {FEED_FORWARD: "2 * d * d_ff"},
    {"+ d_ff)": ")"},
)
parameter_count.mistake(
    "one bias for four layers",
    "The four linear layers of an attention have a bias each, and you count one. `4 * d * d + d` multiplies the weights alone: the four stands before the bracket, 4 · (d · d + d).",
    {ATTENTION: "4 * d * d + d"},
)
parameter_count.mistake(
    "tables not counted",
    "No table is counted. The source's and the target's embeddings have a row of d_model numbers for each word, and the output layer has as many; what is shared or tied counts once.",
    {"+ final_norms + tables": "+ final_norms"},
)
parameter_count.mistake(
    "the model is built",
    "The model is built to be counted. That takes as much memory as the model, and one too large for this machine cannot be counted at all. Count from the sizes: a formula needs none of it.",
    {SIZES: f"return sum(one.numel() for one in Transformer(config).parameters())\n    {SIZES}"},
)
parameter_count.mistake(
    "no biases counted",
    "The biases of the linear layers are missing. All of them have one, those of attention and those of the feed-forward network: as many numbers as they make. Only the output layer has none.",
    {ATTENTION: "4 * d * d", FEED_FORWARD: "2 * d * d_ff"},
)
parameter_count.mistake(
    "bias of the wrong size",
    "A bias of the feed-forward network has the wrong size. A layer has one bias for each number that it *makes*: d_ff in `linear1`, d_model in `linear2`.",
    {"(d_ff * d + d)": "(d_ff * d + d_ff)"},
    {"(d * d_ff + d_ff)": "(d * d_ff + d)"},
)
parameter_count.mistake(
    "one linear layer in the feed-forward network",
    "The feed-forward network has two linear layers, and you count one. `linear1` leads from d_model to d_ff, `linear2` back.",
    {FEED_FORWARD: "(d * d_ff + d_ff)"},
    edit(
        {FEED_FORWARD: "d * d_ff + d_ff + d"},
        says="The feed-forward network has two weights, and you count one. Both are d_model · d_ff numbers: `linear1` leads from d_model to d_ff, `linear2` back.",
    ),
)
parameter_count.mistake(
    "4 · d_model instead of d_ff",
    "The feed-forward network is counted as 4 · d_model wide. That is so in the paper's models; the configuration says how wide it is: `config.d_ff`.",
    {SIZES: "d, d_ff = config.d_model, 4 * config.d_model"},
)
parameter_count.mistake(
    "output projection of attention not counted",
    "An attention has four linear layers, and you count three. Query, key and value, and `out_proj`, which mixes what the heads found.",
    {"4 * (": "3 * ("},
)
parameter_count.mistake(
    "attention counted for every head",
    "Attention is counted once for every head. The heads divide d_model among them: at a fixed width, any number of heads has the same parameters (lesson 03).",
    {"4 * (": "4 * config.num_heads * ("},
    {"4 * (": "(3 * config.num_heads + 1) * ("},
)
parameter_count.mistake(
    "norms counted with one parameter per feature",
    "A norm has 2 · d_model parameters. A weight and a bias for every feature; you count one of the two.",
    {"norm = 2 * d": "norm = d"},
)
parameter_count.mistake(
    "norms not counted",
    "The norms are not counted. Each has a weight and a bias for every feature: two in an encoder layer, three in a decoder layer.",
    {"norm = 2 * d": "norm = 0"},
)
# Whichever of the two is forgotten, the number is the same.
parameter_count.mistake(
    "a norm, or the bias of linear2, not counted",
    "You miss 2 · d_model numbers for each of the num_layers. Three slips make just that: an encoder layer with one norm (it has two), a decoder layer with two (it has three, one for each sublayer), or `linear2` without its "
    "bias in both stacks (d_model numbers, beside the d_ff of `linear1`).",
    {"3 * norm": "2 * norm"},
)
parameter_count.mistake(
    "one norm for a layer",
    "You count two norms in an encoder layer and a decoder layer together, and they have five. There is one for each sublayer: two in an encoder layer, three in a decoder layer.",
    {"+ 2 * norm": "+ norm", "3 * norm": "norm"},
)
parameter_count.mistake(
    "two norms too few",
    "You count three norms in an encoder layer and a decoder layer together, and they have five. There is one for each sublayer: two in an encoder layer, three in a decoder layer.",
    {"+ 2 * norm": ""},
)
parameter_count.mistake(
    "one attention in a decoder layer",
    "A decoder layer has two attentions, and you count one. It reads the target and it reads the memory, each with projections of its own.",
    {"2 * attention": "attention"},
)
parameter_count.mistake(
    "final norms counted without pre-norm",
    "The final norms are always counted. They end the stacks only with pre-norm (`norm_first=True`); in the paper's post-norm the last thing a layer does is to normalize. `nn.Transformer` has them in both cases.",
    {FINAL: "2 * norm"},
)
parameter_count.mistake(
    "final norms counted only without pre-norm",
    "The final norms are counted just where there are none. They end the stacks with pre-norm (`norm_first=True`); in post-norm the last thing a layer does is to normalize.",
    {FINAL: "0 if config.norm_first else 2 * norm"},
)
parameter_count.mistake(
    "final norms of pre-norm not counted",
    "The final norms are missing. With pre-norm each stack ends with one more norm, 2 · d_model parameters each.",
    {FINAL: "0"},
)
parameter_count.mistake(
    "one final norm instead of two",
    "There is a final norm for each stack, and you count one. With pre-norm both the encoder and the decoder end with a norm.",
    {FINAL: "norm if config.norm_first else 0"},
)
parameter_count.mistake(
    "final norms counted for every layer",
    "The final norm is counted in every layer. It stands once at the end of each stack, outside of its layers: do not multiply it by num_layers.",
    {FINAL: "2 * config.num_layers * norm if config.norm_first else 0"},
)
parameter_count.mistake(
    "tied output counted",
    "The tied output is counted as well. With `tie_output` the output layer has no numbers of its own: they are the target table's, and were counted there.",
    {UNLESS_TIED: "if True:"},
)
parameter_count.mistake(
    "output layer not counted",
    "The output layer is missing. Unless it is tied, it has a weight of its own: tgt_vocab_size · d_model.",
    {UNLESS_TIED: "if False:"},
)
parameter_count.mistake(
    "output counted only if tied",
    "The output is counted just where it should not be. With `tie_output` it has no numbers of its own; the `not` is missing.",
    {UNLESS_TIED: "if config.tie_output:\n"},
)
parameter_count.mistake(
    "shared table not counted",
    "With `share_embeddings` no table is left. Source and target have one table then, and it counts once: the source's always, the target's unless it is shared.",
    {"tables = config.src_vocab_size * d": "tables = 0 if config.share_embeddings else config.src_vocab_size * d"},
)
parameter_count.mistake(
    "shared table counted twice",
    "The shared table is counted twice. With `share_embeddings` source and target have one table.",
    {UNLESS_SHARED: "if True:"},
)
parameter_count.mistake(
    "target's table counted only if shared",
    "The target's table is counted just where it should not be. With `share_embeddings` it is the source's; the `not` is missing.",
    {UNLESS_SHARED: "if config.share_embeddings:"},
)
parameter_count.mistake(
    "target's table not counted",
    "The target's table is missing. Unless it is shared, there are two: src_vocab_size and tgt_vocab_size rows of d_model numbers.",
    {UNLESS_SHARED: "if False:"},
)

# Each stands under the choice that it belongs to: the line alone occurs twice.
TGT_ROWS, SRC_ROWS = "\n        tables += config.tgt_vocab_size * d", "\n        tables += config.src_vocab_size * d"
parameter_count.mistake(
    "output counted with the source's vocabulary",
    "The output layer is counted with the source's vocabulary. It scores words of the target: tgt_vocab_size · d_model.",
    {f"{UNLESS_TIED}{TGT_ROWS}": f"{UNLESS_TIED}{SRC_ROWS}"},
)
parameter_count.mistake(
    "target counted with the source's vocabulary",
    "The target's table is counted with the source's vocabulary. It has tgt_vocab_size rows, and so has the output layer.",
    {f"{UNLESS_SHARED}{TGT_ROWS}": f"{UNLESS_SHARED}{SRC_ROWS}"},
    {
        f"{UNLESS_SHARED}{TGT_ROWS}": f"{UNLESS_SHARED}{SRC_ROWS}",
        f"{UNLESS_TIED}{TGT_ROWS}": f"{UNLESS_TIED}{SRC_ROWS}",
    },
)
parameter_count.mistake(
    "source's table counted with the target's vocabulary",
    "The source's table is counted with the target's vocabulary. It has src_vocab_size rows.",
    {"tables = config.src_vocab_size * d": "tables = config.tgt_vocab_size * d"},
)
parameter_count.mistake(
    "output bias counted",
    "A bias of the output layer is counted. It has none: `bias=False` stands in the constructor.",
    {THE_REST: f"{THE_REST} + config.tgt_vocab_size"},
    {UNLESS_TIED: f"tables += 0 if config.tie_output else config.tgt_vocab_size\n    {UNLESS_TIED}"},
)
parameter_count.mistake(
    "positions counted",
    "The table of positions is counted. It is a buffer: sines and cosines that nobody trains, no parameters. `PositionalEncoding` registers it with `register_buffer`.",
    {THE_REST: f"+ config.max_len * d {THE_REST}"},
    {THE_REST: f"+ 2 * config.max_len * d {THE_REST}"},
)
parameter_count.mistake(
    "one layer of each stack",
    "You count one layer of each stack. There are `num_layers` in the encoder, and as many in the decoder.",
    {"config.num_layers * (": "("},
)
parameter_count.mistake(
    "only one stack multiplied by num_layers",
    "Only one stack is multiplied by num_layers. Both have as many layers: brackets around the sum are missing.",
    {LAYERS: "config.num_layers * encoder_layer + decoder_layer"},
    {LAYERS: "encoder_layer + config.num_layers * decoder_layer"},
)
parameter_count.mistake(
    "num_layers divided between the stacks",
    "num_layers is taken for both stacks together. The encoder has num_layers layers, and the decoder as many again.",
    {LAYERS: f"{LAYERS} // 2"},
    {LAYERS: "config.num_layers // 2 * (encoder_layer + decoder_layer)"},
)
parameter_count.mistake(
    "layers counted twice",
    "You count 2 · num_layers layers of each kind. There are `num_layers` in the encoder, and as many in the decoder.",
    {LAYERS: f"2 * {LAYERS}"},
)
parameter_count.mistake(
    "num_layers is not read",
    "num_layers is not read. You count six layers in each stack, as the paper's models have them; the configuration says how many there are.",
    {LAYERS: LAYERS.replace("config.num_layers", "6")},
)
parameter_count.mistake(
    "decoder not counted",
    "The decoder is missing. Beside the encoder's layers there are as many decoder layers, each with one attention and one norm more.",
    {"(encoder_layer + decoder_layer)": "encoder_layer"},
)
parameter_count.mistake(
    "decoder counted like the encoder",
    "The decoder's layers are counted like the encoder's. A decoder layer has one attention more, for reading the memory, and one norm more.",
    {"decoder_layer = 2 * attention + feed_forward + 3 * norm": "decoder_layer = encoder_layer"},
)
parameter_count.mistake(
    "entries of the state_dict counted",
    "You count the entries of the state_dict. It holds the table of positions, which nobody trains, and names what is shared once for each place. `parameters()` gives every parameter once, and nothing else.",
    {UNLESS_SHARED: "if True:", UNLESS_TIED: "if True:", THE_REST: f"+ config.max_len * d {THE_REST}"},
)

# How the two choices are taken together, in all the ways in which the one hides behind the other.
CHOICES = f"{UNLESS_SHARED}{TGT_ROWS}\n    {UNLESS_TIED}{TGT_ROWS}"
TWO = TGT_ROWS.replace("+= ", "+= 2 * ")
parameter_count.mistake(
    "sharing and tying mixed up",
    "Sharing and tying are not counted independently of each other. Each of them takes away one table of tgt_vocab_size · d_model, whatever the other says: two questions side by side, none in the `else` or in the branch of the other.",
    {CHOICES: CHOICES.replace(f"    {UNLESS_TIED}", f"    el{UNLESS_TIED}")},
    {CHOICES: f"{UNLESS_SHARED}{TGT_ROWS}\n        {UNLESS_TIED}    {TGT_ROWS.replace('        ', '            ')}"},
    *(
        {one: f"if not (config.share_embeddings {both} config.tie_output):"}
        for one in (UNLESS_SHARED, UNLESS_TIED)
        for both in ("and", "or")
    ),
    *(
        edit(
            {one: other},
            says="One of the two choices is asked twice, and the other never. `share_embeddings` takes away the target's table, `tie_output` the output layer's.",
        )
        for one, other in (
            (UNLESS_SHARED, "if not config.tie_output:\n"),
            (UNLESS_TIED, "if not config.share_embeddings:\n"),
        )
    ),
    {CHOICES: f"if not (config.share_embeddings or config.tie_output):{TWO}"},
    {CHOICES: f"if not (config.share_embeddings and config.tie_output):{TWO}"},
    {
        CHOICES: f"if not (config.share_embeddings and config.tie_output):{TGT_ROWS}\n    if not (config.share_embeddings or config.tie_output):{TGT_ROWS}\n    elif config.share_embeddings and config.tie_output:{TGT_ROWS}"
    },
)
parameter_count.mistake(
    "source's table not counted",
    "The source's table is missing. It has src_vocab_size rows of d_model numbers, whatever is shared or tied.",
    {"tables = config.src_vocab_size * d": "tables = 0"},
)
parameter_count.mistake(
    "tables counted for every layer",
    "The tables are multiplied by num_layers. They stand once, in front of the stacks and behind them: only what is in a layer is there num_layers times.",
    {THE_REST: "+ final_norms + config.num_layers * tables"},
    {THE_REST: "+ config.num_layers * (final_norms + tables)"},
)
parameter_count.mistake(
    "encoder counted like the decoder",
    "The encoder's layers are counted like the decoder's. An encoder layer has one attention and two norms: it reads no memory.",
    {"encoder_layer = attention + feed_forward + 2 * norm": "encoder_layer = 2 * attention + feed_forward + 3 * norm"},
)
parameter_count.mistake(
    "a norm too many",
    "You count 2 · d_model numbers too many for each of the num_layers: one norm. An encoder layer has two and a decoder layer has three, one for each sublayer.",
    {"feed_forward + 2 * norm": "feed_forward + 3 * norm"},
)
parameter_count.mistake(
    "attention counted for one head",
    "Query, key and value are counted for one head. Each head has d_model // num_heads of their features, and there are num_heads of them: together d_model again, so each of the three is d_model · d_model weights and d_model biases.",
    {ATTENTION: "3 * (d * (d // config.num_heads) + d // config.num_heads) + d * d + d"},
)
parameter_count.mistake(
    "the count is a float",
    "The count is a float. Parameters are counted in whole numbers, and a float is exact only so far; `/` and `** 0.5` make one, `//` does not.",
    {"return config.num_layers *": "return 1.0 * config.num_layers *"},
)

parameter_count.mistake(
    "the configuration is changed",
    "The configuration is not what it was. Somebody counts a model and then builds it from the same configuration, and gets another model. Read the attributes, and put what you compute into names of your own.",
    *({SIZES: f"{changed}\n    {SIZES}"} for changed in ("config.num_heads = 1", "config.dropout = 0.0")),
    {SIZES: f"{SIZES}; config.d_ff = d * d_ff"},
)
