/** Makes the tenant's colour legible wherever it is used: WCAG contrast, computed once. */

const FALLBACK = "#1d4f4b";
const WHITE = [255, 255, 255];
const INK = [17, 20, 23];

const parse = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const print = (rgb) => `#${rgb.map((c) => Math.round(c).toString(16).padStart(2, "0")).join("")}`;
const mix = (a, b, share) => a.map((c, at) => c + (b[at] - c) * share);

function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => {
    const part = c / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** The nearest shade, towards `end`, that can be read as text on `ground`. */
function legible(rgb, ground, end) {
  for (let share = 0; share < 1; share += 0.05) {
    const shade = mix(rgb, end, share);
    if (contrast(shade, ground) >= 4.6) return shade;
  }
  return end;
}

/** Sets the custom properties and returns what the launcher needs. */
export function applyColour(wanted) {
  const hex = /^#[0-9a-f]{6}$/i.test(wanted ?? "") ? wanted : FALLBACK;
  const rgb = parse(hex);
  const on = contrast(rgb, WHITE) >= 4.5 ? WHITE : INK;
  const { style } = document.documentElement;
  style.setProperty("--tenant", hex);
  style.setProperty("--on-tenant", print(on));
  style.setProperty("--ink-light", print(legible(rgb, [246, 247, 248], INK)));
  style.setProperty("--ink-dark", print(legible(rgb, [40, 46, 52], WHITE)));
  return { colour: hex, on: print(on) };
}
