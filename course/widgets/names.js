// Accessible names for the fields of the box that this invisible widget stands in: those of ipywidgets have none.
const FRAMES = 200;

export default {
  render({ model, el }) {
    let left = FRAMES;
    // The other children of the box are drawn when they are, before this one or after it.
    const name = () => {
      left -= 1;
      const found = Object.entries(model.get("data")).map(([selector, label]) => {
        const field = el.closest(".widget-vbox")?.querySelector(selector);
        field?.setAttribute("aria-label", label);
        return field;
      });
      if (left > 0 && !found.every(Boolean)) requestAnimationFrame(name);
    };
    name();
    return () => {
      left = 0;
    };
  },
};
