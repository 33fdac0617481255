// A widget for as long as it is shown: drawn at once, and again when its model, the theme or its size changes.
import { onChange, perFrame } from "./theme.js";

// widget: has `model`, `sender`, `root` and `draw()`; it gets `redraw()`, which draws once a frame however often it is
// called. traits: the names that make it stale; new "data" is also Python's answer. Returns what ends all of it.
export function follow(widget, traits) {
  const { model, sender, root } = widget;
  widget.redraw = perFrame(() => widget.draw());
  const fresh = () => {
    sender.answered();
    widget.redraw();
  };
  const listeners = traits.map((name) => [`change:${name}`, name === "data" ? fresh : widget.redraw]);
  listeners.forEach(([event, listener]) => model.on(event, listener));
  const stop = onChange(root, widget.redraw);
  widget.draw();
  return () => {
    stop();
    sender.destroy();
    listeners.forEach(([event, listener]) => model.off(event, listener));
  };
}
