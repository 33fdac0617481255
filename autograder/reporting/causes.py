"""What usually causes an exception, in words. One row a cause; the first that fits is told."""

from __future__ import annotations

import re
from collections.abc import Mapping

from autograder.probing.outcome import Raised

CAUSES: tuple[tuple[str, str, str], ...] = (
    ("NotImplementedError", r"bitwise_xor", "`^` is no power in Python: x³ is `x**3`."),
    ("NotImplementedError", r'"(\w+)" not implemented for \'(\w+)\'', "torch does not have this operation for numbers of the kind {1}."),
    ("NotImplementedError", r'missing the required "forward" function', "The class has no method `forward`: a typing slip in its name, or it is not indented into the class."),
    ("NotImplementedError", "", "This part is still the stub. Replace the line that raises it."),
    ("NameError", r"name 'self' is not defined", "`self` exists in the methods of a class, as their first parameter, and nowhere else."),
    ("NameError", r"name '(\w+)' is not defined", "`{0}` does not exist where it is used: a typing slip, a cell further up that was not run, or, for a part of a class, `self.` missing before it."),
    ("UnboundLocalError", r"variable '(\w+)'", "`{0}` is used before this function has given it a value."),
    ("AttributeError", r"'(int|float|bool|str|list|tuple|dict)' object has no attribute '(\w+)'", "A `{0}` has no `{1}`: something else was expected here, most often a tensor. Look at the order of the arguments, and at what the line before gives back."),
    ("AttributeError", r"'NoneType' object has no attribute 'append'", "A list was expected here, and it is None. `append` changes the list and returns None: write `found.append(...)` without `found =` before it."),
    ("AttributeError", r"'NoneType' object has no attribute '(\w+)'", "Something is None where a value was expected: an argument that may be None, such as a mask, or what a function without `return` gives."),
    ("AttributeError", r"'(?:function|method|builtin_function_or_method)' object has no attribute '(\w+)'", "A function has no `{0}`. Call it, and take what it gives; nothing else can be asked of it."),
    ("AttributeError", r"module '([\w.]+)' has no attribute '(\w+)'", "`{0}` has no `{1}`: a typing slip, or the function has another name there."),
    ("AttributeError", r"'(\w+)' object has no attribute '(\w+)'", "A `{0}` has no `{1}`: a typing slip, or, if it should be a part of your class, something that the constructor has to make, `self.{1} = ...`."),
    ("AttributeError", r"cannot assign (module|parameter)s? before Module\.__init__", "The constructor must call `super().__init__()` before it sets anything."),
    ("TypeError", r"^_forward_unimplemented\(\)", "What is called here has no `forward`. An `nn.ModuleList` holds layers and does not run them: a loop does. If it is a class of your own, look for a typing slip in that name."),
    ("TypeError", r"__init__\(\) got an unexpected keyword argument '(\w+)'", "Your constructor does not take `{0}`. Its signature has to stay as it was given."),
    ("TypeError", r"got an unexpected keyword argument '(\w+)'", "Something is called with `{0}=`, which it does not take. Signatures have to stay as they were given."),
    ("TypeError", r"got multiple values for argument '(\w+)'", "`{0}` is given twice: once by its name, and once by a place among the others. Count the arguments before it."),
    ("TypeError", r"missing (\d+) required positional argument", "Something is called with too few arguments. Compare the call with the signature."),
    ("TypeError", r"^(Sigmoid|Tanh|Softsign|LogSigmoid|Tanhshrink)\.__init__\(\) takes 1 positional", "`nn.{0}` is a class: called with a tensor it computes nothing, it only tries to make a module of it. `nn.{0}()` makes one, which can then be called; or take the function, in small letters."),
    ("TypeError", r"^(?!Sequential\.)\w+\.(\w+)\(\) takes (?:from )?\d+.* positional arguments? but \d+ (?:was|were) given", "`{0}` is called with more arguments than it takes; `self` counts as one. Is `self` its first parameter? Else compare the call with the signature."),
    ("TypeError", r"^Sequential\.forward\(\) takes 2 positional arguments but (\d+) were given", "An `nn.Sequential` takes one argument and hands it on from part to part. A part that needs more has to be called by itself."),
    ("TypeError", r"takes (?:from )?(\d+).* positional arguments? but (\d+) (?:was|were) given", "Something is called with more arguments than it takes. Compare the call with the signature."),
    ("TypeError", r"bad operand type for unary ~: 'NoneType'", "None cannot be inverted: it is an argument that may be None, such as a mask, or what a function without `return` gives. Ask first, `is not None`."),
    ("TypeError", r"'NoneType' object is not (\w+)", "Something is None where a value was expected: an argument that may be None, such as a mask, or what a function without `return` gives."),
    ("TypeError", r"'NoneType'", "Something is None where a value was expected: an argument that may be None, such as a mask, or what a function without `return` gives."),
    ("TypeError", r"must be Tensor, not NoneType", "None stands where a tensor was expected: an argument that may be None, such as a mask, or what a function without `return` gives."),
    ("TypeError", r"'(?:int|float)' object is not iterable", "A number is gone through as if it were a list. `range(n)` counts from 0 to n - 1."),
    ("TypeError", r"ModuleList\.extend should be called with an iterable", "`nn.ModuleList` takes a list of modules, and was given one module: `nn.ModuleList([...])`, with as many in it as there should be."),
    ("TypeError", r"is not a Module subclass", "Something that is no module stands where one is wanted. If it is a class, make one of it: brackets with its arguments follow the name. If it is a function, such as `torch.relu`, take the module that does the same (`nn.ReLU()`)."),
    ("TypeError", r"cannot unpack non-iterable (\w+)", "One value came back where several were expected. A function that returns two things ends with `return first, second`."),
    ("TypeError", r"'torch\.return_types\.(\w+)'", "With `dim`, `{0}` gives two things, the values and where they are. Take `.values`, or use `amax` and `amin`."),
    ("TypeError", r"cannot assign '[^']*' (?:object )?as parameter '(\w+)'", "`{0}` is a parameter, and a plain tensor cannot take its place. Fill the one that is there, with `.{0}.copy_(...)`, or make an `nn.Parameter` where a new one is meant."),
    ("TypeError", r"'Tensor' object is not callable", "A tensor is called as if it were a function: round brackets follow it. Is an operator missing before the bracket, such as `*`, or has a variable taken the name of a function?"),
    ("TypeError", r"'(\w+)' object is not callable", "A `{0}` is called as if it were a function: round brackets follow it. Does its name stand where a function of that name was meant?"),
    ("TypeError", r"object is not callable", "Something that is no function is called. Did a variable take the name of a function?"),
    ("TypeError", r"'(?:function|method|builtin_function_or_method|type)' object is not subscriptable", "Square brackets follow a function or a class. To call it, take round ones."),
    ("TypeError", r"'(\w+)' object is not subscriptable", "Square brackets follow a `{0}`, which has nothing to look up. If it should be called, take round ones."),
    ("TypeError", r"unsupported operand type\(s\) for .*'(?:function|method|builtin_function_or_method)'", "A function stands where what it gives was meant: call it, with brackets after its name."),
    ("TypeError", r"not supported between instances of .*'(?:function|method|builtin_function_or_method)'", "A function stands where a number was meant."),
    ("TypeError", r"unsupported operand type\(s\) for (.+?): '([\w.]+)' and '(\w+)'", "`{0}` cannot join a `{1}` and a `{2}`. If one of them is a module, call it: `module(x)`."),
    ("TypeError", r"(\w+)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, not Tensor", "`torch.{0}` takes its tensors as one list or tuple: a second pair of brackets is missing, `torch.{0}((a, b), dim=...)`."),
    ("TypeError", r"must be Tensor, not range", "A `range` stands where a tensor is needed. `torch.arange` counts in a tensor."),
    ("TypeError", r"must be tuple of ints, but found element of type Tensor", "A tensor stands where a size was meant. If it is a class that you call, such as a layer, make one first with its sizes, and call that with the tensor."),
    ("ValueError", r"(not enough|too many) values to unpack", "The number of values is not the number of names they are unpacked into. If they are the sizes of a shape: other numbers of dimensions have to work too."),
    ("ValueError", r"only one element tensors can be converted", "Functions of `math` take one number, and `int()`, `float()` and `.item()` do too. torch has functions of the same names for whole tensors."),
    ("RuntimeError", r"Can't call numpy\(\) on Tensor that requires grad", "numpy knows no gradients. Compute with torch throughout."),
    ("RuntimeError", r"mat1 and mat2 shapes cannot be multiplied \((\S+) and (\S+)\)", "A matrix product of shapes {0} and {1} does not fit: the last dimension of the first must equal the first of the second."),
    ("RuntimeError", r"Expected size for first two dimensions of batch2 tensor to be: \[(.*?)\] but got: \[(.*?)\]", "A batched matrix product does not fit: it expected [{0}] and got [{1}]. Is one of the two transposed, or not?"),
    ("RuntimeError", r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)", "Two tensors meet that do not line up: {0} against {1} in dimension {2}. A reduction without `keepdim=True`, a missing transpose, a dimension that should have been repeated, or tokens of two texts of different length (source and target) do this."),
    ("RuntimeError", r"shape '(\[.*?\])' is invalid for input of size (\d+)", "A `view` or `reshape` to {0} does not hold {1} numbers."),
    ("RuntimeError", r"view size is not compatible with input tensor's size and stride", "`view` needs memory in order, and a transpose leaves it out of order. Use `reshape`, or `contiguous()` first."),
    ("RuntimeError", r"differentiated Tensors does not require grad", "A parameter of your class has `requires_grad=False`: it would never learn. `nn.Parameter(...)` alone sets it to True."),
    ("RuntimeError", r"does not require grad", "The result is cut off from the graph: `detach`, `.data`, `.item()`, numpy or `no_grad` on the way."),
    ("RuntimeError", r"a leaf Variable that requires grad is being used in an in-place operation", "Your code writes into an input or a parameter, which collects gradients. Of an input, compute a new tensor instead; numbers are copied into a parameter inside `with torch.no_grad():`."),
    ("RuntimeError", r"modified by an inplace operation", "A tensor that the gradient still needs was written over: `/=`, `+=`, `t[...] = ...` and methods that end in `_` do that. Compute a new tensor instead."),
    ("RuntimeError", r"unsupported operation: (more than one element|some elements) of the (written-to|input) tensor", "Your code writes into a tensor whose memory is shared. Compute a new tensor instead."),
    ("RuntimeError", r"expected scalar type (\w+) but found (\w+)", "Two dtypes meet, {0} and {1}. New tensors made inside should take the dtype of the input: `torch.zeros(..., dtype=x.dtype)`."),
    ("RuntimeError", r"expected m1 and m2 to have the same dtype", "Two dtypes meet. New tensors made inside should take the dtype of the input: `torch.zeros(..., dtype=x.dtype)`."),
    ("RuntimeError", r"Boolean value of Tensor with more than one value", "One answer is wanted here, and a tensor holds many. `if`, `and`, `or` and `not` do that: to choose place by place there are `torch.where` and `masked_fill`, to combine or invert masks `&`, `|` and `~`, and to ask whether an argument was given `is not None`. A layer that is made of a tensor, such as `nn.Dropout(x)`, does it too: make it in the constructor, of its sizes, and call that."),
    ("RuntimeError", r"the number of sizes provided \((\d+)\) must be greater or equal to the number of dimensions in the tensor \((\d+)\)", "Something with {1} dimensions is to take a shape with {0}: in a place of a tensor (`table[:, i]` is one column, of one dimension), or by `expand`, which takes a size for every dimension."),
    ("RuntimeError", r"only supports boolean masks", "A mask has to be True and False, and this one holds numbers. `mask == 0` makes booleans of numbers; of a boolean mask, `~mask` is the other way round (`1 - mask` and `mask.int()` are numbers)."),
    ("RuntimeError", r"[Bb]oolean|Bool|bool tensor", "A boolean tensor is used as if it held numbers. Masks are True and False here: `~mask` turns one round, `masked_fill` and `where` apply it."),
    ("IndexError", r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)", "Dimension {2} does not exist here, only {0} to {1}. Count from the end (`dim=-1`), and any number of leading dimensions will do."),
    ("IndexError", r"The shape of the mask", "Square brackets want a mask of the very shape of the tensor. `masked_fill` and `torch.where` spread a smaller one."),
    ("IndexError", r"out of range|out of bounds", "An index lies beyond the end."),
    ("KeyError", "", "A dictionary has no such key."),
    ("RecursionError", "", "A function calls itself without end."),
    ("ZeroDivisionError", "", "Something is divided by zero. What stands below the line can be 0 here: a count of nothing, or a number less 1."),
    ("NotAModule", "", "The class has to be an `nn.Module`: `class Name(nn.Module):`."),
    ("AssertionError", "", "An `assert` in your code did not hold for these inputs."),
    ("SystemExit", "", "Your code ends the whole process (`exit()`, `quit()`)."),
    ("MemoryError", "", "Your code asks for more memory than there is."),
    ("RuntimeError", r"not enough memory|can't allocate memory", "Your code asks for more memory than there is: a shape is far too large."),
)  # fmt: skip
"""Exception class, a pattern in its message, and what it means here."""


def cause(raised: Raised) -> str:
    """What an exception usually means, or an empty string.

    Args:
        raised: the exception as it was taken down.
    """
    for kind, pattern, words in CAUSES:
        match = re.search(pattern, raised.message)
        if kind in raised.kinds and match:
            return _with_article(words.format(*match.groups()))
    return ""


def _with_article(words: str) -> str:
    """With "an" before a name in backticks that begins with a vowel."""
    return re.sub(r"\b([Aa]) (?=`[AEIOaeio])", r"\1n ", words)


def usual(raised: Raised, traps: Mapping[str, str]) -> str:
    """What an exception usually means in one exercise, or an empty string.

    Args:
        raised: the exception as it was taken down.
        traps: "TypeError: what it says" → the cause. Numbers in the key stand for any numbers, but for that of a
            dimension in which sizes do not match; "..." stands for any text. Of several that fit, the one that says
            most is told.
    """
    told = f"{raised.kind}: {' '.join(raised.message.split())}"
    fitting = [trap for trap in traps if re.match(_pattern(trap), told) and not _means_the_stub(trap, raised)]
    return traps[max(fitting, key=len)] if fitting else ""


def _means_the_stub(trap: str, raised: Raised) -> bool:
    """A trap called NotImplementedError is about the stub, which says nothing; torch's own of that name say more."""
    return trap == "NotImplementedError" and bool(raised.message)


def _pattern(trap: str) -> str:
    numbers = r"(?<!singleton\\ dimension\\ )\d+"
    pieces = (re.sub(numbers, r"\\d+", re.escape(piece)) for piece in trap.split("..."))
    return ".*?".join(pieces)
