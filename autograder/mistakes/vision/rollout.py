"""Wrong ways of following attention through the layers."""

from autograder.checks.vision import attention_rollout
from autograder.probing.mistake import edit

MEAN = "layer.mean(dim=1)"
MIX = "(layer.mean(dim=1) + identity) / 2"
START = "rolled = identity.expand(len(weights[0]), tokens, tokens)"
PRODUCT = "rolled = handed_on @ rolled"
DONE = "return rolled"

attention_rollout.mistake(
    "without the residual's half",
    "Your layers hand on what the heads read and nothing else. Half of what a layer hands on is the token as it was, by the residual connection: half the attention, half the identity.",
    {MIX: "layer.mean(dim=1)"},
    edit(
        {MIX: "layer.mean(dim=1) / 2"},
        says="Your layers hand on half of what the heads read and nothing else. The other half is the token as it was, by the residual connection: the identity.",
    ),
    *(
        edit(
            {
                "for layer in weights:": "for number, layer in enumerate(weights, 1):",
                MIX: f"(layer.mean(dim=1) + identity) / 2 if number == {place} else layer.mean(dim=1)",
            },
            says=f"Only the {word} layer has a residual of yours. Every layer has one: half attention, half identity, in each of them.",
        )
        for place, word in (("1", "first"), ("len(weights)", "last"))
    ),
)

attention_rollout.mistake(
    "the residual of the start",
    "Behind the product of each layer you add the identity: each token as it was before the *first* layer. What a layer hands on is the token as it was before that layer. Take half of the attention and half of the identity first, and then multiply.",
    {MIX: "layer.mean(dim=1)", PRODUCT: "rolled = (handed_on @ rolled + identity) / 2"},
    edit(
        {MIX: "layer.mean(dim=1)", PRODUCT: "rolled = handed_on @ rolled + identity"},
        says="Behind the product of each layer you add the identity: each token as it was before the *first* layer. What a layer hands on is the token as it was before that layer, and half of each. Take half of the attention and half of the identity first, and then multiply.",
    ),
)

attention_rollout.mistake(
    "the identity added and not halved",
    "You add the identity and leave the sum as it is. Its rows sum to 2, and with each layer the shares double. Take half: `(attention + identity) / 2`.",
    {MIX: "layer.mean(dim=1) + identity"},
    edit(
        {MIX: "layer.mean(dim=1) + identity", DONE: "return rolled / 2"},
        says="You halve once, at the end. Each layer's rows sum to 2, and with each layer the shares double: take half of attention and identity in every layer, `(attention + identity) / 2`.",
    ),
)

attention_rollout.mistake(
    "half of the attention, all of the identity",
    "Only one of the two is halved. Then rows sum to 1.5, and a token's own share is too large, or too small. `(attention + identity) / 2` halves both.",
    {MIX: "layer.mean(dim=1) / 2 + identity"},
    {MIX: "layer.mean(dim=1) + identity / 2"},
)

attention_rollout.mistake(
    "the last layer on the right",
    "Your product runs the other way: the last layer stands on the right. The rows of a matrix are the tokens that are asked, and what they read are the tokens of the layer below. So the later layer stands on the left: `handed_on @ rolled`.",
    {PRODUCT: "rolled = rolled @ handed_on"},
)

attention_rollout.mistake(
    "rows and columns exchanged",
    "Your result is turned: its columns sum to 1 and not its rows. Row `i` says what output token `i` is made of.",
    {DONE: "return rolled.transpose(1, 2)"},
)

attention_rollout.mistake(
    "each number by itself",
    "You multiply the layers number by number. What a token reads is a mixture of other tokens already, and to follow that through takes a matrix product: `@`.",
    {PRODUCT: "rolled = handed_on * rolled", START: "rolled = torch.ones_like(weights[0][:, 0])"},
    {PRODUCT: "rolled = handed_on * rolled"},
)

attention_rollout.mistake(
    "added instead of multiplied",
    "You add up the layers, or take their mean. That forgets that a later layer reads what earlier ones have mixed. Multiply, layer by layer.",
    edit(
        {PRODUCT: "rolled = rolled + handed_on / len(weights)", START: "rolled = torch.zeros_like(weights[0][:, 0])"},
        says="You take the mean of the layers. That forgets that a later layer reads what earlier ones have mixed. Multiply, layer by layer.",
    ),
    edit(
        {PRODUCT: "rolled = rolled + handed_on", START: "rolled = torch.zeros_like(weights[0][:, 0])"},
        says="You add up the layers. That forgets that a later layer reads what earlier ones have mixed. Multiply, layer by layer.",
    ),
    edit(
        {PRODUCT: "rolled = rolled + handed_on"},
        says="You add up the layers, beginning with the identity. That forgets that a later layer reads what earlier ones have mixed. Multiply, layer by layer.",
    ),
    edit(
        {PRODUCT: "rolled = (rolled + handed_on) / 2"},
        says="You take the mean of each layer and of what is rolled up so far. That forgets that a later layer reads what earlier ones have mixed. Multiply, layer by layer.",
    ),
    edit(
        {START: "rolled = None", PRODUCT: "rolled = handed_on if rolled is None else (rolled + handed_on) / 2"},
        says="You begin with the first layer, and take the mean of each further one and of what is rolled up so far. That forgets that a later layer reads what earlier ones have mixed. Multiply, layer by layer.",
    ),
    edit(
        {MIX: "layer.mean(dim=1)", PRODUCT: "rolled = (rolled + handed_on) / 2"},
        says="You take half of what is rolled up so far, and half of the layer's attention. What the heads read has been mixed by the layers below: their half is `attention @ rolled`.",
    ),
)

attention_rollout.mistake(
    "one layer alone",
    "Only one layer is in your result. All of them have mixed tokens.",
    edit(
        {PRODUCT: "rolled = handed_on"},
        says="Only the last layer is in your result. What it reads are mixtures that the layers below have made: `handed_on @ rolled`.",
    ),
    edit(
        {"for layer in weights:": "for layer in weights[:1]:"},
        says="Only the first layer is in your result. Go through all of them.",
    ),
    edit(
        {"for layer in weights:": "for layer in weights[1:]:"},
        says="The first layer is missing from your result. Go through all of them.",
    ),
    edit(
        {"for layer in weights:": "for layer in weights[1:] or weights:"},
        says="The first layer is missing from your result, where there is more than one. Go through all of them.",
    ),
    edit(
        {"for layer in weights:": "for layer in weights[:-1]:"},
        says="The last layer is missing from your result. Go through all of them.",
    ),
    edit(
        {"for layer in weights:": "for layer in (*weights[:1], *weights[1:-1]):"},
        says="The last layer is missing from your result, where there is more than one. Go through all of them: `range` and a slice leave their end out.",
    ),
    edit(
        {"for layer in weights:": "for layer in weights[:2]:"},
        says="Your result ends with the second layer. A `return` inside the loop ends it: go through all of them.",
    ),
)

attention_rollout.mistake(
    "another layer's sum over the heads",
    "You add the heads up where a mean is asked for: rows then sum to more than 1. `layer.mean(dim=1)`.",
    {MEAN: "layer.sum(dim=1)"},
    edit(
        {MIX: "(both := layer.sum(dim=1) + identity) / both.sum(dim=-1, keepdim=True)"},
        says="You add the heads up, and only then divide by the sum of a row. The identity is one part among as many as there are heads, and should be half: take the *mean* over the heads first.",
    ),
    edit(
        {MIX: "(layer + identity).sum(dim=1) / 2"},
        says="You add up half the attention and half the identity of every head: rows then sum to the number of heads. Take the mean over the heads.",
    ),
    edit(
        {MIX: "(layer.mean(dim=1) + layer.size(1) * identity) / 2"},
        says="You add the identity once for each head, and the attention as their mean. `(layer.mean(dim=1) + identity) / 2`.",
    ),
)

attention_rollout.mistake(
    "divided by another number",
    "The sum of attention and identity is divided by another number than 2, so that rows do not sum to 1. They are two: `(attention + identity) / 2`.",
    *(
        edit(
            {MIX: f"(both := layer.mean(dim=1) + identity) / {by}"},
            says=f"You divide the sum of attention and identity by {told}, so that rows do not sum to 1. They are two: `(attention + identity) / 2`.",
        )
        for by, told in (
            ("layer.size(1)", "the number of heads"),
            ("tokens", "the number of tokens"),
            ("both.sum()", "the sum of all its numbers"),
            ("both.sum(dim=(1, 2), keepdim=True)", "the sum of all numbers of a picture"),
        )
    ),
    *(
        edit(
            {MEAN: f"layer.sum(dim=1) / layer.size({place})"},
            says=f"You divide the sum over the heads by the number of {word}. A mean is divided by how many were added up, the heads: `layer.mean(dim=1)`.",
        )
        for place, word in ((0, "pictures"), (2, "tokens"))
    ),
)

attention_rollout.mistake(
    "a dimension of heads is left",
    "Your result has a dimension too many: the heads'. Their mean, `layer.mean(dim=1)`, has none: (batch, tokens, tokens).",
    edit(
        {MEAN: "layer.mean(dim=1, keepdim=True)"},
        says="`keepdim=True` keeps the dimension of heads, and in the product the pictures of the batch then meet each other. The result is (batch, tokens, tokens): `layer.mean(dim=1)`.",
    ),
    edit(
        {MEAN: "layer.mean(dim=1, keepdim=True)", START: "rolled = identity"},
        says="`keepdim=True` keeps the dimension of heads. The result is (batch, tokens, tokens): `layer.mean(dim=1)`.",
    ),
    edit(
        {MIX: "(layer + identity) / 2", START: "rolled = identity"},
        says="You follow each head through all layers by itself, and return all of them. A layer hands on what its heads read on average: `layer.mean(dim=1)`.",
    ),
)

attention_rollout.mistake(
    "the heads one after the other",
    "You multiply the heads of a layer, as if each read what the one before it has written. They read side by side: take their mean, and multiply the layers.",
    {
        MIX: "[(one + identity) / 2 for one in layer.unbind(1)]",
        PRODUCT: "for one in handed_on:\n            rolled = one @ rolled",
    },
)

attention_rollout.mistake(
    "the largest or a single head",
    "You take one number of all heads for each pair of tokens, where their mean is asked for: `layer.mean(dim=1)`.",
    edit(
        {MEAN: "layer.amax(dim=1)"},
        says="You take the largest weight of all heads. Rows then sum to more than 1. It is the mean, `layer.mean(dim=1)`.",
    ),
    *(
        edit(
            {MIX: f"(both := layer.{which}(dim=1) + identity) / both.sum(dim=-1, keepdim=True)"},
            says=f"You take the {word} weight of all heads, and then divide each row by its sum. Some programs do. Here it is the mean, `layer.mean(dim=1)`, whose rows sum to 1 by themselves.",
        )
        for which, word in (("amax", "largest"), ("amin", "smallest"))
    ),
    edit(
        {MEAN: "layer.amin(dim=1)"},
        says="You take the smallest weight of all heads. Rows then sum to less than 1. It is the mean, `layer.mean(dim=1)`.",
    ),
    edit(
        {MEAN: "layer[:, 0]"},
        says="You take the first head alone. A layer hands on what all of them read: `layer.mean(dim=1)`.",
    ),
    edit(
        {MEAN: "layer[:, -1]"},
        says="You take the last head alone. A layer hands on what all of them read: `layer.mean(dim=1)`.",
    ),
)

attention_rollout.mistake(
    "the heads brought together at the end",
    "You follow each head through all layers by itself, and take their mean at the end. But what a head reads has been written by all heads of the layer below: take the mean over the heads in every layer.",
    {MIX: "(layer + identity) / 2", START: "rolled = identity", DONE: "return rolled.mean(dim=1)"},
)

attention_rollout.mistake(
    "the columns made to sum to 1",
    "You divide by the sums of the columns. Each *row* is what one token is made of, so rows sum to 1: they do by themselves, when both halves are halved.",
    {MIX: "(both := layer.mean(dim=1) + identity) / both.sum(dim=1, keepdim=True)"},
    edit(
        {DONE: "return rolled / rolled.sum(dim=1, keepdim=True)"},
        says="You divide the result by the sums of its columns. Each *row* is what one token is made of, so rows sum to 1: they do by themselves, when both halves are halved.",
    ),
    edit(
        {MIX: "layer.mean(dim=1) + identity", DONE: "return rolled / rolled.sum(dim=1, keepdim=True)"},
        says="You leave the sum of attention and identity as it is, and divide the result by the sums of its columns. Each *row* is what one token is made of, so rows sum to 1: they do by themselves, when both halves are halved.",
    ),
)

attention_rollout.mistake(
    "the residual once, at the end",
    "You multiply the attention of all layers and put in the residual once, behind the last. Every layer has one: half attention, half identity, in each of them.",
    {MIX: "layer.mean(dim=1)", DONE: "return (rolled + identity) / 2"},
    edit(
        {DONE: "return (rolled + identity) / 2"},
        says="You put in the residual once more behind the last layer. Every layer has had its own: half attention, half identity. Return the product as it is.",
    ),
)

attention_rollout.mistake(
    "the class token's row alone",
    "You return one row, what the class token is made of. The rows of all tokens are promised: (batch, tokens, tokens).",
    {DONE: "return rolled[:, 0]"},
    {DONE: "return rolled[:, 0, 1:]"},
    {DONE: "return rolled[:, :1]"},
    edit(
        {DONE: "return rolled[:, -1]"},
        says="You return one row, that of the last patch. The rows of all tokens are promised: (batch, tokens, tokens).",
    ),
    edit(
        {DONE: "return rolled[:, :, 0]"},
        says="You return one column: how much of the class token is in each token. All rows and columns are promised: (batch, tokens, tokens).",
    ),
)

attention_rollout.mistake(
    "the first layer without its residual",
    "You begin with the attention of the first layer as it is. That layer has a residual connection like the others: half of each.",
    {
        START: "rolled = weights[0].mean(dim=1)",
        "for layer in weights:": "for layer in weights[1:]:",
    },
)

attention_rollout.mistake(
    "the first layer twice",
    "You begin with the first layer, and the loop goes through it once more. Begin with the identity, or go on with the second layer: `weights[1:]`.",
    {START: "rolled = None", PRODUCT: "rolled = handed_on @ (handed_on if rolled is None else rolled)"},
    edit(
        {START: "rolled = weights[0].mean(dim=1)"},
        says="You begin with the attention of the first layer, and the loop goes through that layer once more. Begin with the identity.",
    ),
)

attention_rollout.mistake(
    "without the class token",
    "You leave the class token out of the result. The rows and columns of all tokens are promised: (batch, tokens, tokens).",
    {DONE: "return rolled[:, 1:, 1:]"},
)

attention_rollout.mistake(
    "ones instead of the identity",
    "You add a table of ones: every token then gets the same part of everybody. The residual connection hands a token on to itself alone, and that is the identity, `torch.eye`.",
    {MIX: "(layer.mean(dim=1) + torch.ones_like(identity)) / 2"},
    {"torch.eye(tokens, dtype": "torch.ones(tokens, tokens, dtype"},
    edit(
        {MIX: "(layer.mean(dim=1) + 1 / tokens) / 2"},
        says="Half of each row is shared out to all tokens alike. The residual connection hands a token on to itself alone, and that is the identity, `torch.eye`.",
    ),
)

attention_rollout.mistake(
    "divided by the number of layers",
    "You divide the product by the number of layers, as if it were a sum. Its rows sum to 1 by themselves.",
    {DONE: "return rolled / len(weights)"},
)

attention_rollout.mistake(
    "the mean over the pictures",
    "You take the mean over the pictures of the batch. A picture's shares depend on it alone. The heads are dimension 1: `layer.mean(dim=1)`.",
    {DONE: "return rolled.mean(dim=0)"},
    {DONE: "return rolled.mean(dim=0, keepdim=True)"},
    edit(
        {DONE: "return rolled.sum(dim=0)"},
        says="You add up the pictures of the batch. Each has shares of its own: (batch, tokens, tokens).",
    ),
    {MEAN: "layer.mean(dim=(0, 1))"},
    edit(
        {DONE: "return rolled[:1]"},
        says="You return the shares of the first picture alone. Each picture of the batch has its own: (batch, tokens, tokens).",
    ),
    edit(
        {DONE: "return rolled[0]"},
        says="You return the shares of the first picture alone. Each picture of the batch has its own: (batch, tokens, tokens).",
    ),
)

attention_rollout.mistake(
    "the median of the heads",
    "You take the median of the heads for each pair of tokens. It is the mean, `layer.mean(dim=1)`, whose rows sum to 1 by themselves.",
    {MEAN: "layer.median(dim=1).values"},
)

attention_rollout.mistake(
    "other shares than one half",
    "The residual connection and the attention do not have one half each. `(attention + identity) / 2`.",
    edit(
        {MIX: "(layer.mean(dim=1) + identity) / 3"},
        says="You divide the sum of attention and identity by 3. They are two: `(attention + identity) / 2`.",
    ),
    *(
        edit(
            {MIX: f"{attention} * layer.mean(dim=1) + {token} * identity"},
            says=f"Your attention counts {attention} and the token itself {token}. Each is one half: `(attention + identity) / 2`.",
        )
        for attention, token in (
            (0.9, 0.1),
            (0.1, 0.9),
            (0.75, 0.25),
            (0.25, 0.75),
            (0.8, 0.2),
            (0.2, 0.8),
            (0.6, 0.4),
            (0.4, 0.6),
            (0.7, 0.3),
            (0.3, 0.7),
        )
    ),
    edit(
        {MIX: "(2 * layer.mean(dim=1) + identity) / 3"},
        says="Your attention counts two thirds and the token itself one third. Each is one half: `(attention + identity) / 2`.",
    ),
    edit(
        {MIX: "(layer.mean(dim=1) + 2 * identity) / 3"},
        says="Your attention counts one third and the token itself two thirds. Each is one half: `(attention + identity) / 2`.",
    ),
    edit(
        {PRODUCT: "rolled = handed_on @ rolled + rolled"},
        says="The residual is in every layer twice: as the identity, of which half is taken, and once more behind the product. Once is enough.",
    ),
    edit(
        {START: "rolled = None", PRODUCT: "rolled = handed_on if rolled is None else handed_on @ rolled + rolled"},
        says="The residual is in every layer but the first twice: as the identity, of which half is taken, and once more behind the product. Once is enough.",
    ),
)

attention_rollout.mistake(
    "begun with zeros or ones",
    "The product begins with something else than the identity. Before the first layer, each token is itself: `torch.eye`.",
    edit(
        {START: "rolled = torch.zeros_like(weights[0][:, 0])"},
        says="Your product begins with zeros, and stays zero. Before the first layer, each token is itself: the identity, `torch.eye`.",
    ),
    edit(
        {START: "rolled = torch.ones_like(weights[0][:, 0])"},
        says="Your product begins with ones, and then no token is told from another. Before the first layer, each token is itself: the identity, `torch.eye`.",
    ),
    edit(
        {START: "rolled = identity.expand(len(weights[0]), tokens, tokens) / tokens"},
        says="Your product begins with a part of the identity. Before the first layer, each token is itself, and wholly: `torch.eye`.",
    ),
)

attention_rollout.mistake(
    "weights turned before they are multiplied",
    "You turn the weights of every layer, so that rows and columns have changed places. Rows are the tokens that ask, and stay so.",
    {MEAN: "layer.mean(dim=1).transpose(1, 2)"},
    {MIX: "(both := layer.mean(dim=1).transpose(1, 2) + identity) / both.sum(dim=-1, keepdim=True)"},
    edit(
        {START: "rolled = None", PRODUCT: "rolled = handed_on if rolled is None else handed_on.mT @ rolled.mT"},
        says="You turn both matrices before each product, so that rows and columns have changed places. `handed_on @ rolled`.",
    ),
    edit(
        {START: "rolled = None", PRODUCT: "rolled = handed_on if rolled is None else (handed_on @ rolled).mT"},
        says="You turn the product of every layer but the first, so that rows and columns have changed places. `handed_on @ rolled`.",
    ),
    edit(
        {START: "rolled = None", PRODUCT: "rolled = handed_on if rolled is None else handed_on @ rolled.mT"},
        says="You turn what is rolled up so far before each product, so that rows and columns have changed places. `handed_on @ rolled`.",
    ),
    edit(
        {PRODUCT: "rolled = handed_on @ rolled.transpose(1, 2)"},
        says="You turn what is rolled up so far before each product, so that rows and columns have changed places. `handed_on @ rolled`.",
    ),
    edit(
        {PRODUCT: "rolled = (handed_on @ rolled).transpose(1, 2)"},
        says="You turn the product of every layer, so that rows and columns have changed places. `handed_on @ rolled`.",
    ),
    edit(
        {START: "rolled = None", PRODUCT: "rolled = handed_on if rolled is None else handed_on.mT @ rolled"},
        says="You turn every layer but the first, so that rows and columns have changed places. Rows are the tokens that ask, and stay so: `handed_on @ rolled`.",
    ),
)

attention_rollout.mistake(
    "a softmax too many",
    "You take a softmax of what is made of weights. They are shares already: their rows sum to 1.",
    {DONE: "return rolled.softmax(dim=-1)"},
    {MIX: "((layer.mean(dim=1) + identity) / 2).softmax(dim=-1)"},
    {MEAN: "layer.softmax(dim=-1).mean(dim=1)"},
    {MIX: "(layer.mean(dim=1) + identity).softmax(dim=-1)"},
)

attention_rollout.mistake(
    "less the token itself",
    "You take off what a token keeps of itself, or set it to zero. It belongs to the result: rows sum to 1.",
    {DONE: "return rolled - identity * rolled"},
    {DONE: "return rolled - identity"},
    edit(
        {MIX: "(layer.mean(dim=1) - identity) / 2"},
        says="In every layer you take the identity off, where it belongs to what is handed on: rows then sum to 0. `(attention + identity) / 2`.",
    ),
    edit(
        {MIX: "layer.mean(dim=1) * (1 - identity)"},
        says="In every layer you set to zero what a token reads of itself, and the residual's half is missing too. Leave the attention as it is, and take half of it and half of the identity.",
    ),
)

attention_rollout.mistake(
    "divided by the largest number",
    "You divide by the largest number, as for drawing. The shares themselves are promised: rows sum to 1.",
    {DONE: "return rolled / rolled.max()"},
    {DONE: "return rolled / rolled.amax(dim=(1, 2), keepdim=True)"},
    {DONE: "return rolled / rolled.amax(dim=-1, keepdim=True)"},
    {MIX: "(both := layer.mean(dim=1) + identity) / both.amax(dim=-1, keepdim=True)"},
)

attention_rollout.mistake(
    "every layer by itself",
    "You return something for each layer, where one product of all is promised: (batch, tokens, tokens).",
    {
        START: "rolled = identity.expand(len(weights[0]), tokens, tokens)\n    found = []",
        PRODUCT: "rolled = handed_on @ rolled\n        found.append(rolled)",
        DONE: "return found",
    },
    {
        START: "rolled = identity.expand(len(weights[0]), tokens, tokens)\n    found = []",
        PRODUCT: "rolled = handed_on @ rolled\n        found.append(rolled)",
        DONE: "return torch.stack(found)",
    },
)
