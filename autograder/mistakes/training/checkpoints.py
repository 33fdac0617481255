"""Wrong ways of checkpoints."""

from autograder.checks.training.checkpoints import load_checkpoint, save_checkpoint
from autograder.probing.mistake import edit

LOSSES = (".float()", ".half()", ".bfloat16()")
WHOLE_ENTRY = '"optimizer": optimizer.state_dict()'

# save_checkpoint ----------------------------------------------------------------------------

save_checkpoint.mistake(
    "the optimizer is not saved",
    'The optimizer is not saved: nothing stands under "optimizer". Its running means would start at 0 again, and a resumed training run would go on '
    'with other steps. Keep `optimizer.state_dict()` under "optimizer".',
    {'        "optimizer": optimizer.state_dict(),\n': ""},
    {"optimizer.state_dict()": "{}"},
)

save_checkpoint.mistake(
    "random numbers are not saved",
    'Nothing stands under "rng". The state of the random numbers is not saved, so dropout and the order of the data would go on differently. Keep '
    "`torch.get_rng_state()` there.",
    {'        "rng": torch.get_rng_state(),\n': ""},
    {"torch.get_rng_state()": "None"},
)

ENTRIES = "checkpoint |= {"
save_checkpoint.mistake(
    "saving seeds the random numbers",
    "Saving sets the random numbers to a seed. From then on the training draws other numbers than it would have drawn without the checkpoint, and the same ones after every checkpoint. Read the state with `torch.get_rng_state()`, and set nothing.",
    *({ENTRIES: f"torch.manual_seed({seed})\n    {ENTRIES}"} for seed in (0, 42, "step", "torch.initial_seed()")),
)

save_checkpoint.mistake(
    "the seed, not the state",
    "You keep the seed with which the training began, not the present state of the random numbers. Starting from the seed repeats the random numbers of "
    "step 1. `torch.get_rng_state()` is the present state.",
    {"torch.get_rng_state()": "torch.initial_seed()"},
    edit(
        {"torch.get_rng_state()": "torch.Generator().get_state()"},
        says="You keep the state of a new generator. Dropout and `torch.randint` draw from torch's own generator, and its state is not in the file. "
        "`torch.get_rng_state()` gives its state.",
    ),
)

save_checkpoint.mistake(
    "the model is not saved",
    'The model is not saved: nothing stands under "model". Its parameters hold what has been learned. Keep `model.state_dict()`.',
    {'        "model": model.state_dict(),\n': ""},
    {"model.state_dict()": "{}"},
    edit(
        {"model.state_dict()": "list(model.parameters())"},
        says='Under "model" stands a list of parameters, without their names and without the buffers. Nobody could say which is which. Keep `model.state_dict()`.',
    ),
)

save_checkpoint.mistake(
    "the step is not saved",
    "Nothing stands under `step`. Learning rates are functions of it: without its number the warm-up would begin anew.",
    {'        "step": step,\n': ""},
    {'"step": step,': '"step": None,'},
)

save_checkpoint.mistake(
    "the step is saved as the next one",
    "You save step + 1. `step` is how many steps have been made; save it as it is, and `load_checkpoint` returns it.",
    {'"step": step,': '"step": step + 1,'},
)

save_checkpoint.mistake(
    "another step is saved",
    "You save another number than `step`. `step` is how many steps have been made; save it as it is, and `load_checkpoint` returns it.",
    {'"step": step,': '"step": step - 1,'},
    {'"step": step,': '"step": 0,'},
    {'"step": step,': '"step": len(optimizer.state),'},
    edit(
        {'"step": step,': '"step": str(step),'},
        says="You save `step` as a text. It is how many steps have been made; save the number as it is, and `load_checkpoint` returns it.",
    ),
    edit(
        {'"step": step,': '"step": torch.tensor(step),'},
        says="You save `step` as a tensor. It is how many steps have been made; save the number as it is, and `load_checkpoint` returns it.",
    ),
)

save_checkpoint.mistake(
    "model and optimizer are exchanged",
    'The entries of model and optimizer have changed places. Under "model" belongs `model.state_dict()`, under "optimizer" `optimizer.state_dict()`.',
    {"model.state_dict()": "optimizer.state_dict()", "optimizer.state_dict()": "model.state_dict()"},
)

save_checkpoint.mistake(
    "one state stands under both names",
    'Under "model" and under "optimizer" stands the same state. Under "model" belongs `model.state_dict()`, under "optimizer" `optimizer.state_dict()`.',
    edit(
        {"model.state_dict()": "optimizer.state_dict()"},
        says='Under "model" stands the state of the optimizer, as under "optimizer". What the model has learned is not in the file: `model.state_dict()`.',
    ),
    edit(
        {"optimizer.state_dict()": "model.state_dict()"},
        says='Under "optimizer" stands the state of the model, as under "model". The running means are not in the file: `optimizer.state_dict()`.',
    ),
)

save_checkpoint.mistake(
    "saving switches to evaluation mode",
    "The model is in evaluation mode after it has been saved. The training would go on without dropout. `state_dict()` is the same in both modes: leave the mode alone.",
    {ENTRIES: f"model.eval()\n    {ENTRIES}"},
)

save_checkpoint.mistake(
    "buffers are not saved",
    "The parameters are saved and the buffers are not. A BatchNorm's statistics or a counter live in buffers, and loading would miss them. `model.state_dict()` has both.",
    {"model.state_dict()": "dict(model.named_parameters())"},
)

save_checkpoint.mistake(
    "frozen parameters are not saved",
    "Only what is being trained is saved. A frozen parameter is a part of the model: loaded into a new model, the file would leave random numbers in "
    "its place. `model.state_dict()` has all of them.",
    {
        "model.state_dict()": "{name: one for name, one in model.state_dict().items() if dict(model.named_parameters()).get(name, torch.ones((), requires_grad=True)).requires_grad}"
    },
    edit(
        {"model.state_dict()": "{name: one for name, one in model.named_parameters() if one.requires_grad}"},
        says="Only parameters that are being trained are saved. Frozen parameters and buffers are a part of the model too: loaded into a new model, the "
        "file would leave other numbers in their place. `model.state_dict()` has all of them.",
    ),
)

save_checkpoint.mistake(
    "objects, not their state",
    "You save objects, not their state. Such a file holds code to be run at loading, breaks as soon as a class is moved or renamed, and is refused by `torch.load(..., weights_only=True)`. Keep what `state_dict()` gives.",
    {"model.state_dict()": "model"},
    {"model.state_dict()": "model", "optimizer.state_dict()": "optimizer"},
    {"optimizer.state_dict()": "optimizer"},
    edit(
        {"model.state_dict()": "model.state_dict"},
        says="The brackets are missing behind `model.state_dict`: you save the method, and with it the whole model. Keep what `model.state_dict()` gives.",
    ),
    edit(
        {"optimizer.state_dict()": "optimizer.state_dict"},
        says="The brackets are missing behind `optimizer.state_dict`: you save the method, and with it the whole optimizer. Keep what `optimizer.state_dict()` gives.",
    ),
    edit(
        {"model.state_dict()": "model.state_dict", "optimizer.state_dict()": "optimizer.state_dict"},
        says="The brackets are missing behind `state_dict`: you save the methods, and with them model and optimizer. Keep what `state_dict()` gives.",
    ),
)

OTHER_NAMES = {
    '"model": model': '"model_state_dict": model',
    '"optimizer": optimizer': '"optimizer_state_dict": optimizer',
}
save_checkpoint.mistake(
    "other names for the entries",
    'Under "model" and "optimizer" the file holds nothing. `load_checkpoint` looks for "model", "optimizer", "step" and "rng": either your entries have other names, or they were never put into `checkpoint`.',
    OTHER_NAMES,
    {**OTHER_NAMES, '"step": step': '"epoch": step', '"rng": torch': '"rng_state": torch'},
    {**OTHER_NAMES, '"rng": torch': '"rng_state": torch'},
)

save_checkpoint.mistake(
    "the parameters have other names",
    "The parameters stand in the file under other names than in the model. `load_state_dict` looks for the names that `model.state_dict()` gives: keep them, and put nothing in front of them.",
    *(
        {"model.state_dict()": f"{{{name}: one for name, one in model.state_dict().items()}}"}
        for name in ('f"model.{name}"', 'f"module.{name}"', 'name.removeprefix("layer.")')
    ),
)

save_checkpoint.mistake(
    "the earlier checkpoint is written over",
    "The new checkpoint is written straight over the earlier one. A crash in the middle leaves neither. The given lines wrote the new file beside the "
    "old file and put it in its place when it was complete: keep them.",
    {'f"{path}.unfinished"': "path"},
    {'f"{path}.unfinished"': "path", '"step": step': '"step": int(step)'},
    edit(
        {
            "torch.save(checkpoint, unfinished)": "Path(path).unlink(missing_ok=True)\n    torch.save(checkpoint, unfinished)"
        },
        says="The earlier checkpoint is removed before the new one is written. A crash in between leaves neither. `os.replace` puts the new file in "
        "the place of the old one when it is complete: keep the given lines.",
    ),
)

save_checkpoint.mistake(
    "the earlier checkpoint is removed first",
    "The new checkpoint is written, and then the earlier one is removed before the new one has its name. A crash in between leaves no checkpoint under this "
    "name. `os.replace` does both at once: keep the given line.",
    {
        "os.replace(unfinished, path)": "if os.path.exists(path):\n        os.remove(path)\n    os.rename(unfinished, path)"
    },
)

save_checkpoint.mistake(
    "numbers lose digits",
    "Numbers are saved with fewer digits than they have. A run that is taken up from them is another run. `state_dict()` holds them as they are: keep it unchanged.",
    *({"model.state_dict()": f"{{name: one{way} for name, one in model.state_dict().items()}}"} for way in LOSSES),
    *({"model.state_dict()": f"model{way}.state_dict()"} for way in LOSSES),
    *(
        {
            WHOLE_ENTRY: '"optimizer": {**optimizer.state_dict(), "state": {number: {name: one'
            f'{way} for name, one in means.items()}} for number, means in optimizer.state_dict()["state"].items()}}}}'
        }
        for way in LOSSES
    ),
    *(
        {
            ENTRIES: "for means in optimizer.state_dict()['state'].values():\n        for name, one in list(means.items()):\n"
            f"            means[name] = one{way}.to(one.dtype)\n    {ENTRIES}"
        }
        for way in LOSSES
    ),
)

save_checkpoint.mistake(
    "random numbers of another kind",
    "Under \"rng\" stands something that torch's random numbers cannot be put back from. Dropout and `torch.randint` draw from torch's own generator; "
    "`torch.get_rng_state()` gives its state, a tensor of bytes.",
    {"torch.get_rng_state()": "torch.get_rng_state"},
    {"torch.get_rng_state()": "__import__('random').getstate()"},
    {"torch.get_rng_state()": "__import__('numpy').random.get_state()"},
    {"torch.get_rng_state()": "torch.rand(4)"},
    {"torch.get_rng_state()": "[]"},
    {"torch.get_rng_state()": "torch.tensor([0], dtype=torch.uint8)"},
)

save_checkpoint.mistake(
    "saving draws random numbers",
    "Saving draws random numbers. The training goes on with others than it would have without the checkpoint. Read the state with `torch.get_rng_state()`, and draw nothing.",
    {ENTRIES: f"torch.rand(1)\n    {ENTRIES}"},
    {"unfinished = f": "torch.rand(1)\n    unfinished = f"},
    {ENTRIES: f"torch.rand(3)\n    {ENTRIES}"},
    {"unfinished = f": "torch.rand(3)\n    unfinished = f"},
)

save_checkpoint.mistake(
    "the configuration is thrown away",
    "The configuration is no longer in the checkpoint. The given line put it there; your dictionary took its place. Without the configuration nobody "
    "can say whether a checkpoint fits a model. Add your entries to `checkpoint`.",
    {"checkpoint |= {": "checkpoint = {"},
    edit(
        {"config_of(model)": "{}"},
        says="The configuration in the checkpoint is empty. The given line kept `config_of(model)` there. Without the configuration nobody can say whether "
        "a checkpoint fits a model.",
    ),
)

save_checkpoint.mistake(
    "the optimizer's settings without its running means",
    "The optimizer's settings are saved, its running means are not. The running means hold what the optimizer has learned from the gradients. "
    "`optimizer.state_dict()` has both.",
    {WHOLE_ENTRY: '"optimizer": {**optimizer.state_dict(), "state": {}}'},
    {WHOLE_ENTRY: '"optimizer": {"param_groups": optimizer.state_dict()["param_groups"]}'},
    {WHOLE_ENTRY: '"optimizer": optimizer.state_dict()["param_groups"]'},
    {WHOLE_ENTRY: '"optimizer": optimizer.param_groups'},
    edit(
        {WHOLE_ENTRY: '"optimizer": optimizer.defaults'},
        says="`optimizer.defaults` holds the settings that the optimizer was made with: neither the running means nor the settings of its groups. "
        "`optimizer.state_dict()` has both.",
    ),
    edit(
        {WHOLE_ENTRY: '"optimizer": {"lr": optimizer.param_groups[0]["lr"]}'},
        says="Of the optimizer only a learning rate is saved. Its running means are missing, and so are the betas and the decay of its groups. `optimizer.state_dict()` has all of them.",
    ),
)

save_checkpoint.mistake(
    "the optimizer's running means without its settings",
    "The optimizer's running means are saved, the settings of its groups are not. Learning rates, betas and decay are needed to go on as well, and `load_state_dict` asks for them. `optimizer.state_dict()` has both.",
    {WHOLE_ENTRY: '"optimizer": optimizer.state_dict()["state"]'},
    {
        WHOLE_ENTRY: '"optimizer": {"state": optimizer.state_dict()["state"], "param_groups": [{"params": one["params"]} for one in optimizer.state_dict()["param_groups"]]}'
    },
    {WHOLE_ENTRY: '"optimizer": {"state": optimizer.state_dict()["state"]}'},
    {WHOLE_ENTRY: '"optimizer": {"state": optimizer.state_dict()["state"], "param_groups": []}'},
    {WHOLE_ENTRY: '"optimizer": optimizer.state'},
    {
        WHOLE_ENTRY: '"optimizer": {"state": optimizer.state_dict()["state"], "param_groups": [{"params": one["params"], "lr": one["lr"]} for one in optimizer.state_dict()["param_groups"]]}'
    },
    {
        WHOLE_ENTRY: '"optimizer": type(optimizer)(model.parameters()).state_dict() | {"state": optimizer.state_dict()["state"]}'
    },
    edit(
        {
            WHOLE_ENTRY: '"optimizer": {"state": optimizer.state_dict()["state"], "param_groups": [{**optimizer.defaults, "params": one["params"]} for one in optimizer.state_dict()["param_groups"]]}'
        },
        says="The settings that are saved are not those of the groups. `optimizer.defaults` is what the optimizer was made with; each group has its own "
        "learning rate since. `optimizer.state_dict()` has the settings of the groups.",
    ),
    *(
        edit(
            {
                WHOLE_ENTRY: '"optimizer": {"state": optimizer.state_dict()["state"], "param_groups": [{**'
                f'optimizer.state_dict()["param_groups"][{one}], "params": one["params"]}} for one in optimizer.state_dict()["param_groups"]]}}'
            },
            says=f"All groups are saved with the settings of the {name}. Each group has a learning rate and a decay of its own: `optimizer.state_dict()` has the settings of every group.",
        )
        for one, name in ((0, "first"), (-1, "last"))
    ),
)

# load_checkpoint ----------------------------------------------------------------------------

LOAD_MODEL = 'model.load_state_dict(checkpoint["model"])'
LOAD_OPTIMIZER = 'optimizer.load_state_dict(checkpoint["optimizer"])'
LOAD_RANDOM = 'torch.set_rng_state(checkpoint["rng"])'
RETURN = 'return checkpoint["step"]'

load_checkpoint.mistake(
    "the model is not loaded",
    "The model keeps the numbers that it had. `model.load_state_dict(...)` copies the saved numbers into it.",
    {LOAD_MODEL: "pass"},
    {
        LOAD_MODEL: 'if model.state_dict().keys() - checkpoint["model"].keys():\n        raise RuntimeError("a parameter is missing")'
    },
    edit(
        {LOAD_MODEL: 'for name, one in model.named_buffers():\n        one.copy_(checkpoint["model"][name])'},
        says="Only the buffers are loaded. The parameters keep the numbers that they had. `model.load_state_dict(...)` copies both into the model.",
    ),
)

load_checkpoint.mistake(
    "added to what is there",
    "The saved numbers are added to those that the model has, or mixed with them. They take their place: `model.load_state_dict(...)`.",
    *(
        {
            LOAD_MODEL: 'for name, one in model.state_dict().items():\n        if name not in checkpoint["model"]:\n'
            f"            raise RuntimeError(name)\n        one.{change}"
        }
        for change in ('add_(checkpoint["model"][name])', 'lerp_(checkpoint["model"][name], 0.5)')
    ),
)

load_checkpoint.mistake(
    "the optimizer is not loaded",
    "The optimizer starts anew. Its running means are 0 and its settings those of its constructor, so the next step differs from the step without the "
    "interruption.",
    {LOAD_OPTIMIZER: "pass"},
)

load_checkpoint.mistake(
    "the settings are those of the constructor",
    "The settings that were loaded are put back to those of the optimizer's constructor. A schedule has changed the learning rate since, and each group has its own. Load the whole entry, and leave it as it is.",
    *(
        edit(
            {
                LOAD_OPTIMIZER: f"{LOAD_OPTIMIZER}\n    for one in optimizer.param_groups:\n        {change}",
            },
            says=says,
        )
        for change, says in (
            (
                'one["lr"] = optimizer.defaults["lr"]',
                "The learning rate that was loaded is put back to that of the optimizer's constructor. A schedule has changed it since, and each group has its own. Load the whole entry, and leave it as it is.",
            ),
            ("one.update(optimizer.defaults)", ""),
        )
    ),
)

load_checkpoint.mistake(
    "random numbers are not put back",
    "The random numbers are not put back to their saved state. Dropout then drops other features than without the interruption, and the run cannot be "
    "repeated bit for bit. Call `torch.set_rng_state(...)`.",
    {LOAD_RANDOM: "pass"},
)

load_checkpoint.mistake(
    "seeded, not put back",
    "You seed the random numbers anew. That gives the same numbers every time, but not the numbers with which the training would have gone on. "
    "Put the saved state back: `torch.set_rng_state(...)`.",
    {LOAD_RANDOM: 'torch.manual_seed(checkpoint["step"])'},
    {LOAD_RANDOM: 'torch.manual_seed(int(checkpoint["rng"][0]))'},
    {LOAD_RANDOM: 'torch.manual_seed(int(checkpoint["rng"].sum()))'},
    {LOAD_RANDOM: "torch.manual_seed(42)"},
    {LOAD_RANDOM: "torch.set_rng_state(torch.Generator().get_state())"},
)

load_checkpoint.mistake(
    "the step is not returned",
    "The number of steps is not returned. The training needs it to go on: learning rates are functions of the step.",
    {RETURN: "return None"},
)

load_checkpoint.mistake(
    "the next step is returned",
    "You return one more than was saved. The checkpoint holds how many steps *have been* made. Return this number as it is; a loop that counts from 0 "
    "goes on with it.",
    {RETURN: f"{RETURN} + 1"},
)

load_checkpoint.mistake(
    "another step is returned",
    "You return another number than the step that was saved. The checkpoint holds how many steps have been made: return this number as it is.",
    {RETURN: f"{RETURN} - 1"},
    {RETURN: "return 0"},
    {RETURN: "return len(optimizer.state)"},
    edit(
        {RETURN: 'return torch.tensor(checkpoint["step"])'},
        says="You return the step as a tensor. The checkpoint holds how many steps have been made: return this number as it is.",
    ),
    edit(
        {RETURN: 'return checkpoint["rng"]'},
        says='You return the state of the random numbers. Asked for is how many steps have been made: `checkpoint["step"]`.',
    ),
)

load_checkpoint.mistake(
    "the file is removed",
    "The checkpoint is removed once it has been loaded. Should the machine go down before the next checkpoint is written, everything is lost; and nobody can load this checkpoint a second time. Leave the file where it is.",
    {RETURN: f"os.remove(path)\n    {RETURN}"},
)

load_checkpoint.mistake(
    "the whole checkpoint is returned",
    'You return the whole checkpoint. Asked for is one number, how many steps have been made: `checkpoint["step"]`.',
    {RETURN: "return checkpoint"},
)

load_checkpoint.mistake(
    "left in evaluation mode",
    "The model is switched to evaluation. Training would go on without dropout. Loading should only put numbers back; the caller chooses the mode.",
    {RETURN: f"model.eval()\n    {RETURN}"},
)

load_checkpoint.mistake(
    "the running means start at 0",
    "The optimizer gets its settings and not its running means, which hold what it has learned from the gradients. Load the whole entry.",
    {LOAD_OPTIMIZER: 'optimizer.load_state_dict({**checkpoint["optimizer"], "state": {}})'},
)

load_checkpoint.mistake(
    "the optimizer keeps its own settings",
    "The optimizer gets its running means and not its settings. Learning rate, betas and decay stay those of the constructor. Load the whole entry.",
    {
        LOAD_OPTIMIZER: 'optimizer.load_state_dict({**checkpoint["optimizer"], "param_groups": optimizer.state_dict()["param_groups"]})'
    },
    edit(
        {
            LOAD_OPTIMIZER: "rates = [one['lr'] for one in optimizer.param_groups]\n"
            f"    {LOAD_OPTIMIZER}\n"
            "    for one, rate in zip(optimizer.param_groups, rates):\n"
            "        one['lr'] = rate"
        },
        says="The optimizer keeps its own learning rate. The saved one is among the settings of its groups, and the next step is made with another. Load the whole entry, and leave it as it is.",
    ),
)

load_checkpoint.mistake(
    "only the learning rate is put back",
    "Of the optimizer's settings only the learning rate is put back. Betas and decay stay those of the constructor, and the next step is another one. Load the whole entry.",
    {
        LOAD_OPTIMIZER: 'optimizer.load_state_dict({**checkpoint["optimizer"], "param_groups": [{**own, "lr": one["lr"]} for own, one in zip(optimizer.state_dict()["param_groups"], checkpoint["optimizer"]["param_groups"])]})'
    },
)

load_checkpoint.mistake(
    "frozen parameters are not loaded",
    "A frozen parameter keeps the number that it had. It is a part of the model like any other, and is in the file. `model.load_state_dict(...)` loads all of them.",
    {
        LOAD_MODEL: "kept = {name: one.clone() for name, one in model.named_parameters() if not one.requires_grad}\n"
        f"    {LOAD_MODEL}\n"
        "    for name, one in kept.items():\n"
        "        model.get_parameter(name).data.copy_(one)"
    },
    edit(
        {
            LOAD_MODEL: "for name, one in model.named_parameters():\n        if one.requires_grad:\n"
            '            one.data.copy_(checkpoint["model"][name])'
        },
        says="Only parameters that are being trained are loaded. Frozen parameters and buffers are a part of the model too, and are in the file. "
        "`model.load_state_dict(...)` loads all of them.",
    ),
)

load_checkpoint.mistake(
    "buffers are not loaded",
    "The parameters are loaded and the buffers are not. Statistics and counters live in buffers. `model.load_state_dict(...)` loads both.",
    {LOAD_MODEL: 'for name, one in model.named_parameters():\n        one.data.copy_(checkpoint["model"][name])'},
)

load_checkpoint.mistake(
    "numbers lose digits on the way",
    "Numbers are loaded with fewer digits than the checkpoint has. A run that is taken up from them is another run. Load the entry as it is.",
    *(
        {LOAD_MODEL: f'model.load_state_dict({{name: one{way} for name, one in checkpoint["model"].items()}})'}
        for way in LOSSES
    ),
    *(
        {
            LOAD_OPTIMIZER: 'optimizer.load_state_dict({**checkpoint["optimizer"], "state": {number: {name: one'
            f'{way} for name, one in means.items()}} for number, means in checkpoint["optimizer"]["state"].items()}}}})'
        }
        for way in LOSSES
    ),
)

load_checkpoint.mistake(
    "loading draws random numbers",
    "Random numbers are drawn after their state was put back. Dropout then goes on a place further on than without the interruption. Put the state back, and draw nothing.",
    *({RETURN: f"torch.rand({count})\n    {RETURN}"} for count in (1, 2, 3)),
)

load_checkpoint.mistake(
    "more than the step is returned",
    "More than the step comes back. Asked for is one number, how many steps have been made.",
    {RETURN: 'return model, optimizer, checkpoint["step"]'},
    {RETURN: 'return checkpoint["step"], model, optimizer'},
    {RETURN: 'return checkpoint["step"], checkpoint["rng"]'},
    {RETURN: 'return checkpoint["step"], model'},
)

load_checkpoint.mistake(
    "what does not fit is passed over",
    "A file that lacks a parameter of the model is accepted. With `strict=False`, or with a loop over the entries that happen to be there, the "
    "parameter keeps its random numbers and no error says so. Load strictly, which is the default of `load_state_dict`.",
    {LOAD_MODEL: 'model.load_state_dict(checkpoint["model"], strict=False)'},
)

load_checkpoint.mistake(
    "another configuration is accepted",
    "A checkpoint of another configuration is accepted. Where shapes agree, as with another dropout, nobody would notice. The given lines refused such "
    "a checkpoint: keep them.",
    {"if different:": "if False:"},
)

load_checkpoint.mistake(
    "the names of the fields alone are compared",
    "A checkpoint of another configuration is accepted where the fields have the same names. What they are set to is compared too, as a model with another dropout is another model: keep the given lines.",
    {"if saved.get(name) != own.get(name)]": "if (name in saved) != (name in own)]"},
)

load_checkpoint.mistake(
    "an error of another class",
    "Another configuration is refused with an error of another class. Promised is a ValueError: whoever calls this function catches that.",
    *(
        {'raise ValueError(f"the checkpoint is': f'raise {other}(f"the checkpoint is'}
        for other in ("TypeError", "RuntimeError", "KeyError", "Exception", "AssertionError")
    ),
)

load_checkpoint.mistake(
    "only fields that both have are compared",
    "A field that only one of the two configurations has is passed over. A model with a setting that the checkpoint does not know is another model. The given line goes through the fields of both: keep it.",
    {"for name in {**saved, **own} if": "for name in saved if name in own and"},
    {"for name in {**saved, **own} if": "for name in saved if"},
)

load_checkpoint.mistake(
    "the error does not say which field differs",
    "The ValueError does not say which field differs. Whoever reads it has to compare two configurations by eye. The given lines name each field, with both values: keep them.",
    {'f"the checkpoint is one of another model: {told}"': '"the checkpoint is one of another model"'},
)
