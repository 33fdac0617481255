import assert from "node:assert/strict";
import { test } from "node:test";
import { Recorded, placeOf, reachable, unpacked } from "../../autograder/dev/book/static/host.js";

// Two controls, 2 × 3 answers; the state is that of the first of each.
const KEPT = () => ({
  state: { data: { caption: "a0", size: 2 }, kind: "a", depth: 0, cursor: 0 },
  settings: { kind: ["a", "b"], depth: [0, 10, 100] },
  answers: [{}, { caption: "a10" }, { caption: "a100" }, { caption: "b0" }, { caption: "b10" }, { caption: "b100" }],
});

function recorded(kept = KEPT()) {
  const said = [];
  const model = new Recorded(kept, (text) => said.push(text));
  const heard = [];
  ["data", "kind", "depth", "cursor"].forEach((name) => model.on(`change:${name}`, () => heard.push(name)));
  return { model, said, heard };
}

test("packed numbers become what the widgets unpack", () => {
  const { shape, data } = unpacked({ shape: [2], base64: "AACAPwAAAEA=" });
  assert.deepEqual(shape, [2]);
  assert.deepEqual([data.getFloat32(0, true), data.getFloat32(4, true)], [1, 2]);
  assert.deepEqual(unpacked([{ a: null }, "x", 3]), [{ a: null }, "x", 3]);
});

test("the nearest number is meant, and of anything else an equal one", () => {
  assert.equal(placeOf(7, [0, 10, 100]), 1);
  assert.equal(placeOf(1000, [0, 10, 100]), 2);
  assert.equal(placeOf("b", ["a", "b"]), 1);
  assert.equal(placeOf([1, 0], [[0, 1], [1, 0]]), 1);
  assert.equal(placeOf("c", ["a", "b"]), -1);
});

test("a setting gets the answer that was kept for it", () => {
  const { model, said, heard } = recorded();
  model.set("kind", "b");
  model.set("depth", 80);
  assert.equal(model.get("data").caption, "a0", "nothing before the hand rests");
  model.save_changes();
  assert.equal(model.get("data").caption, "b100");
  assert.equal(model.get("data").size, 2, "what is the same for all is kept once");
  assert.equal(model.get("depth"), 100, "the control moves to the setting that is shown");
  assert.ok(heard.includes("data"));
  assert.equal(said.at(-1), "");
});

test("what no answer was kept for is said, and the widget hears so at once", () => {
  const kept = KEPT();
  kept.settings = { kind: ["a"], depth: [0, 10, 100] };
  kept.answers = kept.answers.slice(0, 3);
  const { model, said, heard } = recorded(kept);
  model.set("kind", "z");
  model.save_changes();
  assert.match(said.at(-1), /Python/);
  assert.equal(model.get("data").caption, "a0");
  assert.equal(heard.at(-1), "data");
  model.set("kind", "a");
  model.set("depth", 9);
  model.save_changes();
  assert.equal(said.at(-1), "");
  assert.equal(model.get("data").caption, "a10");
});

test("what the browser does alone asks nobody", () => {
  const { model, said, heard } = recorded();
  model.set("cursor", 3);
  model.save_changes();
  assert.deepEqual([model.get("cursor"), said, heard], [3, [], ["cursor"]]);
});

test("a listener that has left hears no more", () => {
  const { model } = recorded();
  let count = 0;
  const listener = () => { count += 1; };
  model.on("change:cursor", listener);
  model.set("cursor", 1);
  model.set("cursor", 1);
  model.off("change:cursor", listener);
  model.set("cursor", 2);
  assert.equal(count, 1);
});

test("a formula that scrolls can be reached with the keyboard, and no other", () => {
  const formula = (scrollWidth) => ({
    scrollWidth,
    clientWidth: 100,
    stop: "old",
    setAttribute(name, value) { this.stop = `${name}=${value}`; },
    removeAttribute() { this.stop = ""; },
  });
  const both = [formula(300), formula(100)];
  reachable(both);
  assert.deepEqual(both.map((one) => one.stop), ["tabindex=0", ""]);
});
