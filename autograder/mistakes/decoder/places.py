"""The reference's own words, which the edits of lesson 07 replace."""

LAYER_INIT, LAYER_FORWARD = "DecoderLayer.__init__", "DecoderLayer.forward"
STACK_INIT, STACK_FORWARD = "Decoder.__init__", "Decoder.forward"

# In the layer, ...
SELF, CROSS = "self.self_attn(h, h, h", "self.cross_attn(h, memory, memory"
SELF_MASK, CROSS_MASK = ", self_mask)", ", cross_mask)"
FIRST, SECOND, THIRD = "add_norm(x, attend", "add_norm(x, read_source", "add_norm(x, self.feed_forward"
STEPS = (FIRST, SECOND, THIRD)
NORM1, NORM2, NORM3 = NORMS = ("self.norm1", "self.norm2", "self.norm3")
BEGIN = "kept: list[Tensor] = []"
WEIGHTS, TURNED_WEIGHTS = "(kept[0], kept[1])", "(kept[1], kept[0])"
WITH_WEIGHTS, IF_ASKED = "(x, (", "if return_weights else x"  # how what comes back begins and ends, in the stack too
# ... in `add_norm`, in pre-norm and in post-norm, ...
PRE_LINE, POST_LINE = "x + dropout(sublayer(norm(x)))", "norm(x + dropout(sublayer(x)))"
# ... and in the stack.
LAYER_CALL = "layer(x, memory"
TO_SELF, TO_CROSS = ", self_mask,", " cross_mask, return_weights=True"
NEW_LAYER, NUMBERS = "DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)", "range(num_layers)"
NEW_NORM = "LayerNorm(d_model) if norm_first else None"
NEXT = "all_cross.append(weights[1])"
FINAL = "if self.norm is not None:\n            x = self.norm(x)"
LOOP = "for layer in self.layers:"
STACK_BEGIN = "all_self, all_cross = [], []"
STACK_WEIGHTS = "(all_self, all_cross)"
