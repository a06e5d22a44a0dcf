// What is wrong with how a page looks, as far as a browser can be asked; see test_pages.py.

// Texts that lie on top of each other although neither holds the other.
function overlaps() {
  const texts = "h1, h2, h3, h4, p, th, td, .bars span, .token, svg text";
  const boxes = [...document.querySelectorAll(texts)]
    .filter((e) => e.offsetParent !== null || e instanceof SVGElement)
    .filter((e) => !e.closest(".tip, [hidden], details:not([open])"))
    .filter((e) => getComputedStyle(e).position !== "sticky")
    .map((e) => [e, [...e.getClientRects()].filter((r) => r.width > 1 && r.height > 1)]);
  const found = [];
  const cross = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  boxes.forEach(([a, mine], at) => {
    for (const [b, others] of boxes.slice(at + 1, at + 40)) {
      if (a.contains(b) || b.contains(a)) continue;
      if (mine.some((x) => others.some((y) => cross(x, y)))) {
        found.push(`${a.textContent.slice(0, 30)} | ${b.textContent.slice(0, 30)}`);
      }
    }
  });
  return found.slice(0, 5);
}

// Texts whose contrast with what they stand on is below 4.5, the least that WCAG allows.
function faint() {
  const parts = (colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return [red, green, blue, alpha];
  };
  const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([red, green, blue]) =>
    0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    const says = [...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (e.offsetParent === null || !says || e.closest("[disabled], .only-read, option")) continue;
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      layers.push(parts(getComputedStyle(at).backgroundColor));
    }
    let ground = [255, 255, 255];
    for (const [red, green, blue, alpha] of layers.reverse()) {
      ground = ground.map((v, i) => v * (1 - alpha) + [red, green, blue][i] * alpha);
    }
    const both = [light(parts(getComputedStyle(e).color)), light(ground)];
    const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    if (contrast < 4.5) found.push(`${e.textContent.slice(0, 20)} ${contrast.toFixed(2)}`);
  }
  return found.slice(0, 5);
}
