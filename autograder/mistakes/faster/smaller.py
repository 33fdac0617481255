"""Wrong ways of quantizing and pruning."""

from autograder.checks.faster import prune_magnitude, quantize_rows, quantized_linear
from autograder.probing.mistake import edit

# quantize_rows ----------------------------------------------------------------------------

SCALE = "weight.abs().amax(dim=1, keepdim=True) / 127"
ZERO = "scale = scale.masked_fill(scale == 0, 1.0)"
ROUND = "torch.round(weight / scale).to(torch.int8)"

quantize_rows.mistake(
    "one scale for the whole matrix",
    "All rows share one scale. A row of small numbers then has only a few of the 255 whole numbers to itself, and may become 0. Each row has a scale of its own.",
    {SCALE: "weight.abs().amax().expand(len(weight), 1) / 127"},
    {SCALE: "weight.abs().amax().reshape(1, 1) / 127"},
    {SCALE: "weight.abs().amax() / 127"},
)

quantize_rows.mistake(
    "a scale for every column",
    "Every column has a scale, and promised is one for every row. A row of the matrix makes one feature that comes out, so its scale can be multiplied in at the end. `dim=1` runs along a row.",
    {SCALE: "weight.abs().amax(dim=0, keepdim=True) / 127"},
)

quantize_rows.mistake(
    "a row of zeros divides by 0",
    "A row of zeros has the scale 0, and 0 divided by 0 is no number. Promised is the scale 1 there.",
    {ZERO: "pass"},
    edit(
        {ZERO: "pass", ROUND: "torch.round(weight / scale.clamp(min=1e-8)).to(torch.int8)"},
        says="A row of zeros keeps the scale 0. Its whole numbers are right; promised is the scale 1.",
    ),
    edit(
        {ZERO: "scale = scale.clamp(min=1e-8)"},
        says="A row of zeros has a tiny scale, so that nothing is divided by 0. Promised is the scale 1.",
    ),
    edit(
        {ZERO: "pass", ROUND: "torch.round(weight / scale).nan_to_num().to(torch.int8)"},
        says="A row of zeros keeps the scale 0. Its whole numbers are right; promised is the scale 1.",
    ),
    edit(
        {ZERO: "scale = scale.masked_fill(scale == 0, 1 / 127)"},
        says="A row of zeros has the scale 1/127: the 1 is put in before all is divided by 127. Promised is the scale 1.",
    ),
    edit(
        {ZERO: "scale = scale if scale.any() else torch.ones_like(scale)"},
        says="A row of zeros has the scale 1 only where all rows are zeros. Each row that is zeros has it: `scale.masked_fill(scale == 0, 1.0)`.",
    ),
)

quantize_rows.mistake(
    "rounded towards 0",
    "What stands behind the point is cut off, so every number moves towards 0, by half a step on average. `.to(torch.int8)` does that by itself: round first.",
    {ROUND: "(weight / scale).to(torch.int8)"},
    edit({ROUND: "torch.floor(weight / scale).to(torch.int8)"}, says="Every number is rounded down, by half a step on average. Promised is the nearest whole number: `torch.round`."),
    edit({ROUND: "torch.ceil(weight / scale).to(torch.int8)"}, says="Every number is rounded up, by half a step on average. Promised is the nearest whole number: `torch.round`."),
)  # fmt: skip

quantize_rows.mistake(
    "another number than 127",
    "The largest absolute value of a row becomes another number than 127.",
    edit({SCALE: "weight.abs().amax(dim=1, keepdim=True) / 128"}, says="The largest absolute value of a row becomes 128, and int8 ends at 127: a large number turns into -128. Divide by 127."),
    edit({SCALE: "weight.abs().amax(dim=1, keepdim=True) / 128", ROUND: "torch.round(weight / scale).clamp(-128, 127).to(torch.int8)"}, says="The largest absolute value of a row becomes 128, which is then cut to 127 if it is above 0. Divide by 127, and both sides are alike."),
    edit({SCALE: "weight.abs().amax(dim=1, keepdim=True) / 255"}, says="The largest absolute value of a row becomes 255, and int8 goes from -128 to 127: large numbers wrap around. Divide by 127."),
    edit({SCALE: "(weight.amax(dim=1, keepdim=True) - weight.amin(dim=1, keepdim=True)) / 255"}, says="Your scale is the range of a row over 255. That needs a zero point that is moved as well; promised is the largest absolute value over 127."),
    edit({SCALE: "(weight.amax(dim=1, keepdim=True) - weight.amin(dim=1, keepdim=True)) / 254"}, says="Your scale is the range of a row over 254, half the range over 127. The largest absolute value then becomes more than 127 where the numbers are not even around 0. Promised is the largest absolute value over 127."),
)  # fmt: skip

quantize_rows.mistake(
    "multiplied by the scale",
    "You multiply by the scale where you should divide: `int8 * scale` is nearly the matrix, so the whole numbers are the matrix by the scale.",
    {"weight / scale": "weight * scale"},
)

quantize_rows.mistake(
    "the largest value as the scale",
    "Your scale is the largest absolute value of a row, not that over 127. `int8 * scale` is then 127 times the matrix.",
    {"torch.int8), scale": "torch.int8), scale * 127"},
    edit(
        {SCALE: "weight.abs().amax(dim=1, keepdim=True)"},
        says="Your scale is the largest absolute value of a row, so that all whole numbers are -1, 0 or 1. Divide it by 127: then the largest becomes 127.",
    ),
)

quantize_rows.mistake(
    "largest value, not largest absolute value",
    "Your scale comes from the largest value of a row, and numbers far below 0 are not seen: they wrap around, or the scale itself is below 0. Take the largest *absolute* value.",
    {SCALE: "weight.amax(dim=1, keepdim=True) / 127"},
    {SCALE: "weight.amax(dim=1, keepdim=True) / 127", ZERO: "scale = scale.masked_fill(scale <= 0, 1.0)"},
    {SCALE: "weight.amax(dim=1, keepdim=True) / 127", ROUND: ROUND.replace(".to(", ".clamp(-127, 127).to(")},
    {SCALE: "weight.amax(dim=1, keepdim=True) / 127", ROUND: ROUND.replace(".to(", ".clamp(-128, 127).to(")},
)

quantize_rows.mistake(
    "the scale upside down",
    "Your scale is what you multiply by to get whole numbers. Promised is the other one: `int8 * scale` is nearly the matrix.",
    {"torch.int8), scale": "torch.int8), 1 / scale"},
)

quantize_rows.mistake(
    "not int8",
    "Your whole numbers are not kept as int8, so they take more than a byte each.",
    edit({".to(torch.int8)": ""}, says="Your whole numbers are still floats, of four bytes each: `.to(torch.int8)`."),
    edit({".to(torch.int8)": ".to(torch.int32)"}, says="Your whole numbers have four bytes each: `.to(torch.int8)`."),
    edit({".to(torch.int8)": ".to(torch.int64)"}, says="Your whole numbers have eight bytes each: `.to(torch.int8)`."),
    edit(
        {".to(torch.int8)": ".to(torch.uint8)"},
        says="Your whole numbers are kept as uint8, which has none below 0: they wrap around. `.to(torch.int8)`.",
    ),
)

quantize_rows.mistake(
    "scales in a row",
    "Your scales have one dimension. Promised is a column, (rows, 1), so that `int8 * scale` scales rows: a vector would scale columns.",
    {"torch.int8), scale": "torch.int8), scale.squeeze(1)"},
)

quantize_rows.mistake(
    "numbers given back instead of whole numbers",
    "You give back the numbers that the whole ones stand for: they are multiplied with the scale already.",
    {ROUND: "torch.round(weight / scale) * scale"},
)

# QuantizedLinear ----------------------------------------------------------------------------

MATRIX = "self.weight.to(x.dtype) * self.scale"
BIAS = "output if self.bias is None else output + self.bias"
KEEP = 'self.register_buffer("weight", weight)'
KEEP_BIAS = 'self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())'

quantized_linear.mistake(
    "bias forgotten",
    "The bias is not added.",
    {BIAS: "output"},
)

quantized_linear.mistake(
    "scale forgotten",
    "The whole numbers are multiplied with as they are. Each stands for itself times the scale of its row.",
    {MATRIX: "self.weight.to(x.dtype)"},
)

quantized_linear.mistake(
    "bias scaled too",
    "The bias is multiplied with the scale as well. It was never divided by it: add it at the end.",
    {BIAS: "output if self.bias is None else output + self.bias * self.scale.squeeze(1)"},
)

quantized_linear.mistake(
    "divided by the scale",
    "You divide by the scale where you should multiply: `int8 * scale` is nearly the matrix.",
    {MATRIX: "self.weight.to(x.dtype) / self.scale"},
)

quantized_linear.mistake(
    "one scale for all rows",
    "All rows are multiplied with the same scale. Each row, that is, each feature that comes out, has its own.",
    {MATRIX: "self.weight.to(x.dtype) * self.scale[0]"},
    {MATRIX: "self.weight.to(x.dtype) * self.scale.mean()"},
    {MATRIX: "self.weight.to(x.dtype) * self.scale.max()"},
    edit(
        {
            "weight, scale = quantize_rows(linear.weight.detach())": "scale = (linear.weight.detach().abs().amax() / 127).expand(linear.out_features, 1).clone()\n        weight = torch.round(linear.weight.detach() / scale).to(torch.int8)"
        },
        says="The matrix is quantized with one scale for all rows. Each row, that is, each feature that comes out, has its own: `quantize_rows`.",
    ),
)

quantized_linear.mistake(
    "scaled twice",
    "The scale is multiplied in twice, to the matrix and to what comes out. Once is enough, at either place.",
    {"output = x @ matrix.T": "output = x @ matrix.T * self.scale.squeeze(1)"},
)

quantized_linear.mistake(
    "a bias where there was none",
    'For a layer without bias you keep a bias of zeros. Promised is None: `self.register_buffer("bias", None)`.',
    {"None if linear.bias is None else": "torch.zeros(linear.out_features) if linear.bias is None else"},
)

quantized_linear.mistake(
    "buffers in the graph",
    "What you keep still hangs on the layer's parameters, as autograd remembers how it was made. So the float matrix is never let go, and the layer cannot be copied by `copy.deepcopy`. Take `.detach()` of what you read, or work under `torch.no_grad()`.",
    {"linear.weight.detach()": "linear.weight"},
    {"linear.weight.detach()": "linear.weight", "linear.bias.detach().clone()": "linear.bias.clone()"},
    edit(
        {"linear.bias.detach().clone()": "linear.bias.clone()"},
        says="Your bias still hangs on the layer's parameter, as autograd remembers that it was cloned. `linear.bias.detach().clone()` is a copy by itself.",
    ),
)

quantized_linear.mistake(
    "parameters are left",
    "The layer still has parameters. It is for a model that is no longer trained: whole numbers, scales and bias are buffers.",
    edit(
        {'self.register_buffer("scale", scale)': "self.scale = nn.Parameter(scale)"},
        says='The scales are a parameter. The layer is for a model that is no longer trained, and no parameter is to be left: `self.register_buffer("scale", scale)`.',
    ),
    edit(
        {KEEP: f"self.linear = linear\n        {KEEP}"},
        says="You keep the layer itself as a part, with its matrix in floats, so yours is larger than that layer was. Keep the three buffers alone.",
    ),
)

quantized_linear.mistake(
    "floats kept as before",
    "The matrix is kept in floats, so the layer is no smaller than it was. Keep the whole numbers, and multiply with the scale in `forward`.",
    edit(
        {KEEP: 'self.register_buffer("weight", linear.weight.detach().clone())', MATRIX: "self.weight"},
        inside="QuantizedLinear",
        says="You keep the layer's own matrix and multiply with that: nothing is quantized. Keep the whole numbers, and multiply with the scale in `forward`.",
    ),
    {KEEP: 'self.register_buffer("weight", weight.float())'},
    edit(
        {KEEP: 'self.register_buffer("weight", weight * scale)', MATRIX: "self.weight"},
        says="You keep the numbers that the whole ones stand for, in floats, so the layer is no smaller than it was. Keep the whole numbers, and multiply with the scale in `forward`.",
    ),
)

quantized_linear.mistake(
    "buffers that are not saved",
    "What you keep is not part of the state_dict: a model that is saved and loaded has lost it. `self.register_buffer(name, tensor)` keeps a tensor that is saved and is no parameter.",
    {KEEP: 'self.register_buffer("weight", weight, persistent=False)', '"scale", scale': '"scale", scale, persistent=False', "linear.bias.detach().clone())": "linear.bias.detach().clone(), persistent=False)"},
    *(
        {f'self.register_buffer("{name}", {name})': f"self.{name} = {name}" for name in some}
        for some in (("weight", "scale"), ("weight",), ("scale",))
    ),
    {KEEP_BIAS: "self.bias = None if linear.bias is None else linear.bias.detach().clone()"},
    {
        KEEP: "self.weight = weight",
        'self.register_buffer("scale", scale)': "self.scale = scale",
        KEEP_BIAS: "self.bias = None if linear.bias is None else linear.bias.detach().clone()",
    },
)  # fmt: skip

quantized_linear.mistake(
    "bias stays a parameter",
    'The bias is still a parameter, the layer\'s own or a new one. The layer is for a model that is no longer trained, and no parameter is to be left: `self.register_buffer("bias", ...)`, with a copy.',
    {KEEP_BIAS: "self.bias = linear.bias"},
    {KEEP_BIAS: "self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())"},
)

quantized_linear.mistake(
    "the bias is no copy",
    "Your bias is the memory of the layer that was handed in: when that is trained on, or set to 0, yours changes too. Promised are copies: `linear.bias.detach().clone()`.",
    {"linear.bias.detach().clone()": "linear.bias.detach()"},
)

quantized_linear.mistake(
    "input quantized too",
    "The input is rounded to whole numbers as well. Asked for is the matrix alone; the input stays as it is.",
    {"output = x @ matrix.T": "output = torch.round(x) @ matrix.T"},
    {"output = x @ matrix.T": "row = x.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127\n        output = (torch.round(x / row) * row) @ matrix.T"},
)  # fmt: skip

# prune_magnitude_ ----------------------------------------------------------------------------

MATRICES = "[one for one in model.parameters() if one.dim() >= 2]"
SIZES = "torch.cat([one.abs().flatten() for one in matrices])"
SMALL = "matrix.abs() <= threshold"
THRESHOLD = "threshold = sizes.kthvalue(count).values"

prune_magnitude.mistake(
    "a threshold for every matrix",
    "Every matrix loses the same share, as each has a threshold of its own. Promised is one threshold for the whole model: then a matrix of small numbers loses more.",
    {"for matrix in matrices:": "for matrix in matrices:\n        threshold = matrix.abs().flatten().kthvalue(max(round(share * matrix.numel()), 1)).values"},
    {"for matrix in matrices:": "for matrix in matrices:\n        threshold = torch.quantile(matrix.abs(), share)"},
)  # fmt: skip

prune_magnitude.mistake(
    "biases and norms too",
    "Biases and norms are pruned as well. They are few numbers, and each counts for a whole feature. Matrices have two dimensions or more.",
    {MATRICES: "list(model.parameters())"},
    edit({MATRICES: "[one for name, one in model.named_parameters() if one.dim() >= 2 or name.endswith('bias')]"}, says="Biases are pruned as well. They are few numbers, and each counts for a whole feature. Matrices have two dimensions or more."),
    edit({MATRICES: "[one for name, one in model.named_parameters() if not name.endswith('bias')]"}, says="The weights of norms are pruned as well: they have one dimension. Matrices have two dimensions or more."),
    edit({SIZES: "torch.cat([one.abs().flatten() for one in model.parameters()])"}, says="Biases and norms are counted among the numbers of which a share goes, so the threshold is another. Only matrices are counted, and only matrices lose something."),
    edit({"for matrix in matrices:": "for matrix in model.parameters():"}, says="The threshold is right, and then biases and norms are compared with it as well. Only matrices lose something."),
)  # fmt: skip

prune_magnitude.mistake(
    "the largest are pruned",
    "You set the largest numbers to 0 and keep the smallest.",
    {THRESHOLD: "threshold = sizes.kthvalue(len(sizes) - count + 1).values", SMALL: "matrix.abs() >= threshold"},
    *(
        edit(
            {SMALL: f"matrix.abs() {above} threshold"},
            says="You set to 0 what lies above the threshold, and keep what should go: the numbers that are not above it.",
        )
        for above in (">", ">=")
    ),
)

prune_magnitude.mistake(
    "the share is what stays",
    "You keep the share that should go.",
    {"round(share * len(sizes))": "round((1 - share) * len(sizes))"},
)

prune_magnitude.mistake(
    "values instead of absolute values",
    "You compare values, not absolute values, so large numbers below 0 are among those that go. Small means near 0.",
    edit({"one.abs().flatten()": "one.flatten()", SMALL: "matrix <= threshold"}),
    edit(
        {SMALL: "matrix <= threshold"},
        says="Your threshold comes from absolute values, and then you compare the values themselves with it: every number below 0 goes. Compare absolute values.",
    ),
    edit(
        {"one.abs().flatten()": "one.flatten()"},
        says="Your threshold comes from the values themselves, so numbers far below 0 count as the smallest, and then you compare absolute values with it. Sort absolute values.",
    ),
)

prune_magnitude.mistake(
    "a share of the largest value",
    "Your threshold is a share of the largest absolute value. How many numbers lie below it is then a matter of how they are distributed. Promised is a share of their number.",
    {THRESHOLD: "threshold = share * sizes.max()"},
)

prune_magnitude.mistake(
    "the share is the threshold",
    "You compare the numbers with the share itself. It says how many go, not how small they are: look for the threshold below which that many lie.",
    {THRESHOLD: "threshold = share"},
)

prune_magnitude.mistake(
    "one name more, counted twice",
    "A parameter with two names is counted twice. `model.parameters()` and `model.named_parameters()` give it once; a walk through the state_dict or through the modules does not.",
    {MATRICES: "[one for _, one in model.named_parameters(remove_duplicate=False) if one.dim() >= 2]"},
    edit(
        {MATRICES: "[one for part in model.modules() for one in part.parameters() if one.dim() >= 2]"},
        says="A parameter is counted once for every module that it is in: `model.modules()` gives the whole model too, and `parameters()` of each goes down to the last. `model.parameters()` alone gives each once.",
    ),
)

prune_magnitude.mistake(
    "embeddings left out",
    "Tables of embeddings, or kernels with more than two dimensions, are left out. All parameters with two dimensions or more are matrices here.",
    edit({MATRICES: "[module.weight for module in model.modules() if isinstance(module, nn.Linear)]"}, says="You prune the weights of linear layers alone. All parameters with two dimensions or more are matrices here: tables of embeddings and kernels of convolutions too."),
    edit({MATRICES: "[one for one in model.parameters() if one.dim() == 2]"}, says="You prune parameters with exactly two dimensions. A kernel with four is a matrix here too: two dimensions or more."),
)  # fmt: skip

prune_magnitude.mistake(
    "nothing changes",
    "The model is as it was: the zeros are written into a copy. Write into the parameter itself, as in `matrix[...] = 0.0`, or with a method that ends in `_`.",
    {f"matrix[{SMALL}] = 0.0": f"matrix.clone()[{SMALL}] = 0.0"},
)

prune_magnitude.mistake(
    "one too few",
    "One number too few goes: the number at the threshold itself belongs to those that go.",
    {SMALL: "matrix.abs() < threshold"},
    edit(
        {THRESHOLD: "threshold = torch.quantile(sizes, share)", SMALL: "matrix.abs() < threshold"},
        says="With a share of 1 the largest number stays: it lies at the threshold, and belongs to those that go.",
    ),
    edit(
        {THRESHOLD: "threshold = sizes.kthvalue(max(count - 1, 1)).values"},
        says="One number too few goes: your threshold is one place too low. `kthvalue` counts from 1.",
    ),
)

prune_magnitude.mistake(
    "one too many",
    "One number too many goes: your threshold is one place too high. A sorted list counts from 0, so the last of `count` numbers stands at `count - 1`.",
    {THRESHOLD: "threshold = sizes.sort().values[count]"},
    {THRESHOLD: "threshold = sizes.sort().values[min(count, len(sizes) - 1)]"},
)

prune_magnitude.mistake(
    "one goes for a share of 0",
    "With a share of 0 the smallest number goes all the same. Then nothing goes: stop before, where the count is 0.",
    {"round(share * len(sizes))": "max(1, round(share * len(sizes)))"},
    {"if count == 0:\n        return\n    ": "", THRESHOLD: "threshold = torch.quantile(sizes, share)"},
)

prune_magnitude.mistake(
    "a share of what is left",
    "You take the share of those numbers that are not 0 yet, so a model that is pruned twice loses more. Zeros count as well: they are the smallest numbers there are.",
    {SIZES: f"{SIZES}\n    sizes = sizes[sizes > 0]"},
)
