// The page's theme, read from its CSS variables, and when to draw again.
import { luminance } from "./palette.js";

const NAMES = ["ink", "soft", "line", "surface", "accent", "others", "alarm", "tint", "band", "series1", "series2", "series3", "series4"];

// Colours as the canvas wants them. Dark is found from the surface itself, whatever set it, and put on the element,
// because the accents depend on it.
export function readTheme(el) {
  el.classList.toggle("tc-dark", isDark(el));
  const probe = document.createElement("span");
  el.append(probe);
  const theme = Object.fromEntries(NAMES.map((name) => [name, resolved(probe, name)]));
  theme.font = getComputedStyle(el).fontFamily;
  probe.remove();
  theme.dark = el.classList.contains("tc-dark");
  return theme;
}

function isDark(el) {
  const parts = getComputedStyle(el).backgroundColor.match(/[\d.]+/g).slice(0, 3);
  return luminance(parts.map(Number)) < 0.2;
}

function resolved(probe, name) {
  probe.style.color = `var(--tc-${name})`;
  return getComputedStyle(probe).color;
}

// Calls redraw when the theme, the size or the visibility changes (a windowed notebook drops canvas content).
export function onChange(el, redraw) {
  const theme = new MutationObserver(redraw);
  theme.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"] });
  const size = new ResizeObserver(redraw);
  size.observe(el);
  const sight = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && redraw());
  sight.observe(el);
  return () => [theme, size, sight].forEach((observer) => observer.disconnect());
}

// At most one call a frame.
export function perFrame(draw) {
  let waiting = 0;
  return () => {
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  };
}
