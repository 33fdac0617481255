import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Sender } from "../../course/widgets/sender.js";

function made(values, asks) {
  mock.timers.enable({ apis: ["setTimeout"] });
  const log = [];
  const held = { ...values };
  const model = { get: (name) => held[name], set: (name, value) => (held[name] = value), save_changes: () => log.push({ ...held }) };
  const silences = [];
  return { log, silences, sender: new Sender(model, asks, () => silences.push("silence")) };
}

// A timer that is set while another one rings begins only then: hence two steps.
function aWhile() {
  mock.timers.tick(100);
  mock.timers.tick(20_000);
}

test("what a hand changes in a rush is sent once, when it rests", (t) => {
  t.after(() => mock.timers.reset());
  const { log, sender } = made({ depth: 1, shown: [] }, ["depth"]);
  for (const depth of [2, 3, 4]) sender.send("depth", depth);
  assert.equal(sender.get("depth"), 4);
  assert.deepEqual(log, []);
  mock.timers.tick(100);
  assert.deepEqual(log, [{ depth: 4, shown: [] }]);
  assert.equal(sender.get("depth"), 4);
});

test("only a question that stays without an answer is a silence", (t) => {
  t.after(() => mock.timers.reset());
  const { silences, sender } = made({ depth: 1, position: 0 }, ["depth"]);
  sender.send("position", 5);
  aWhile();
  assert.deepEqual(silences, [], "nobody was asked");
  sender.send("depth", 1);
  aWhile();
  assert.deepEqual(silences, [], "nothing changed");
  sender.send("depth", 2);
  mock.timers.tick(100);
  sender.answered();
  aWhile();
  assert.deepEqual(silences, [], "an answer came");
  sender.send("depth", 3);
  aWhile();
  assert.deepEqual(silences, ["silence"]);
});
