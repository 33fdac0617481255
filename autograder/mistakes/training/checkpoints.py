"""Wrong ways of checkpoints."""

from autograder.probing.mistake import Mistake

SAVE, LOAD = "save_checkpoint", "load_checkpoint"

optimizer_lost = Mistake(
    "the optimizer is not saved",
    of=SAVE,
    swap='        "optimizer": optimizer.state_dict(),\n',
    by="",
    says='The optimizer is not saved. Its running means would start at 0 again, and a training that is taken up goes on with a jolt. Keep `optimizer.state_dict()` under "optimizer".',
)

random_lost = Mistake(
    "random numbers are not saved",
    of=SAVE,
    swap='        "rng": torch.get_rng_state(),\n',
    by="",
    says='Where the random numbers stand is not saved. Dropout and the order of the data would go on elsewhere. Keep `torch.get_rng_state()` under "rng".',
)

seed_saved = Mistake(
    "the seed, not the state",
    of=SAVE,
    swap="torch.get_rng_state()",
    by="torch.initial_seed()",
    says="You keep the seed with which it all began, not where the random numbers stand now. Starting from the seed repeats the random numbers of step 1. `torch.get_rng_state()` is the present state.",
)

step_lost = Mistake(
    "the step is not saved",
    of=SAVE,
    swap='        "step": step,\n',
    by="",
    says="The number of the step is not saved. Learning rates are functions of it: without it the warm-up would begin anew.",
)

step_ahead = Mistake(
    "the step is saved as the next one",
    of=SAVE,
    swap='"step": step,',
    by='"step": step + 1,',
    says="You save step + 1. `step` is how many steps have been made; it goes in as it is, and `load_checkpoint` gives it back.",
)

buffers_lost = Mistake(
    "buffers are not saved",
    of=SAVE,
    swap="model.state_dict()",
    by="dict(model.named_parameters())",
    says="The parameters are saved and the buffers are not. A BatchNorm's statistics or a counter live in buffers, and loading would miss them. `model.state_dict()` has both.",
)

OBJECTS = "You save objects, not their state. Such a file holds code to be run at loading, breaks as soon as a class is moved or renamed, and is refused by `torch.load(..., weights_only=True)`. Keep what `state_dict()` gives."
objects_saved = Mistake("objects, not their state", of=SAVE, swap="model.state_dict()", by="model", says=OBJECTS)
objects_saved_too = Mistake(
    "objects, not their state", of=SAVE, swaps={"model.state_dict()": "model", "optimizer.state_dict()": "optimizer"}, says=OBJECTS
)  # fmt: skip
optimizer_object = Mistake(
    "objects, not their state", of=SAVE, swap="optimizer.state_dict()", by="optimizer", says=OBJECTS
)

OTHER_NAMES = 'The entries have other names. `load_checkpoint` looks for "model", "optimizer", "step" and "rng".'
other_names = Mistake(
    "other names for the entries",
    of=SAVE,
    swaps={
        '"model": model': '"model_state_dict": model',
        '"optimizer": optimizer': '"optimizer_state_dict": optimizer',
    },
    says=OTHER_NAMES,
)

other_names_all = Mistake(
    "other names for the entries",
    of=SAVE,
    swaps={
        '"model": model': '"model_state_dict": model',
        '"optimizer": optimizer': '"optimizer_state_dict": optimizer',
        '"step": step': '"epoch": step',
        '"rng": torch': '"rng_state": torch',
    },
    says=OTHER_NAMES,
)
other_names_but_step = Mistake(
    "other names for the entries",
    of=SAVE,
    swaps={
        '"model": model': '"model_state_dict": model',
        '"optimizer": optimizer': '"optimizer_state_dict": optimizer',
        '"rng": torch': '"rng_state": torch',
    },
    says=OTHER_NAMES,
)

written_over = Mistake(
    "the earlier checkpoint is written over",
    of=SAVE,
    swap='f"{path}.unfinished"',
    by="path",
    says="The new checkpoint is written straight over the earlier one. A crash in the middle leaves neither. The given lines wrote it beside the old one and put it in its place when it was whole: keep them.",
)

config_lost = Mistake(
    "the configuration is thrown away",
    of=SAVE,
    swap="checkpoint |= {",
    by="checkpoint = {",
    says="The configuration is no longer in the checkpoint. The given line put it there; your dictionary took its place. Without it nobody can say whether a checkpoint fits a model. Add to `checkpoint`.",
)

settings_only = Mistake(
    "the optimizer's settings without its running means",
    of=SAVE,
    swap='"optimizer": optimizer.state_dict()',
    by='"optimizer": {**optimizer.state_dict(), "state": {}}',
    says="The optimizer's settings are saved, its running means are not. They are what it has learned of the gradients. `optimizer.state_dict()` has both.",
)

model_not_loaded = Mistake(
    "the model is not loaded",
    of=LOAD,
    swap='model.load_state_dict(checkpoint["model"])',
    by="pass",
    says="The model keeps the numbers that it had. `model.load_state_dict(...)` copies the saved ones into it.",
)

optimizer_not_loaded = Mistake(
    "the optimizer is not loaded",
    of=LOAD,
    swap='optimizer.load_state_dict(checkpoint["optimizer"])',
    by="pass",
    says="The optimizer starts anew. Its running means are 0 and its settings those of its constructor, so the next step is another one than without the interruption.",
)

random_not_loaded = Mistake(
    "random numbers are not put back",
    of=LOAD,
    swap='torch.set_rng_state(checkpoint["rng"])',
    by="pass",
    says="The random numbers go on from wherever they are. Dropout then drops other features than it would have, and the run cannot be repeated bit for bit. `torch.set_rng_state(...)`.",
)

seeded = Mistake(
    "seeded, not put back",
    of=LOAD,
    swap='torch.set_rng_state(checkpoint["rng"])',
    by='torch.manual_seed(checkpoint["step"])',
    says="You seed the random numbers with the step. That gives the same numbers every time, and not those with which the training would have gone on. Put the saved state back: `torch.set_rng_state(...)`.",
)

step_not_returned = Mistake(
    "the step is not returned",
    of=LOAD,
    swap='return checkpoint["step"]',
    by="return None",
    says="The number of steps is not returned. Whoever goes on needs it: learning rates are functions of the step.",
)

next_step = Mistake(
    "the next step is returned",
    of=LOAD,
    swap='return checkpoint["step"]',
    by='return checkpoint["step"] + 1',
    says="You return one more than was saved. The checkpoint holds how many steps *have been* made, and that is what is to be returned; a loop that counts from 0 goes on with just that number.",
)

evaluating = Mistake(
    "left in evaluation mode",
    of=LOAD,
    swap='return checkpoint["step"]',
    by='model.eval()\n    return checkpoint["step"]',
    says="The model is switched to evaluation. Training would go on without dropout. Loading puts numbers back; the mode is for the caller to choose.",
)

means_lost = Mistake(
    "the running means start at 0",
    of=LOAD,
    swap='optimizer.load_state_dict(checkpoint["optimizer"])',
    by='optimizer.load_state_dict({**checkpoint["optimizer"], "state": {}})',
    says="The optimizer gets its settings and not its running means. They are what it has learned of the gradients. Load the whole entry.",
)

settings_kept = Mistake(
    "the optimizer keeps its own settings",
    of=LOAD,
    swap='optimizer.load_state_dict(checkpoint["optimizer"])',
    by='optimizer.load_state_dict({**checkpoint["optimizer"], "param_groups": optimizer.state_dict()["param_groups"]})',
    says="The optimizer gets its running means and not its settings. Learning rate, betas and decay stay those of the constructor. Load the whole entry.",
)

buffers_not_loaded = Mistake(
    "buffers are not loaded",
    of=LOAD,
    swap='model.load_state_dict(checkpoint["model"])',
    by='for name, one in model.named_parameters():\n        one.data.copy_(checkpoint["model"][name])',
    says="The parameters are loaded and the buffers are not. Statistics and counters live in buffers. `model.load_state_dict(...)` loads both.",
)

config_accepted = Mistake(
    "another configuration is accepted",
    of=LOAD,
    swap="if different:",
    by="if False:",
    says="A checkpoint of another configuration is accepted. Where shapes agree, as with another dropout, nobody would ever notice. The given lines refused it: keep them.",
)
