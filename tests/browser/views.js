// Shows a page at three sizes and in two colour schemes, and checks what is drawn in each: nothing is wider than the
// window, and no label of a drawing overlaps another, leaves its drawing, or is too small to read.
"use strict";

const kSizes = { desktop: { width: 1400, height: 900 }, tablet: { width: 800, height: 1100 },
  phone: { width: 390, height: 844 } };
const kSchemes = ["light", "dark"];

// Expressions that run in the page. `labels` returns the number of labels and a list of faults.
const labels = `(() => {
  const kLeastPixels = 9;  // of the font, as it is shown
  const kLineGap = 0.1;    // of the height of a box, above and below the letters
  const faults = [];
  let count = 0;
  const apart = (one, other) => one.right <= other.left + 0.5 || other.right <= one.left + 0.5
    || one.bottom <= other.top || other.bottom <= one.top;
  const compare = (place, boxes) => boxes.forEach((one, i) => boxes.slice(i + 1).forEach(other => {
    if (!apart(one, other)) faults.push(place + ": '" + one.words + "' overlaps '" + other.words + "'");
  }));
  for (const drawing of document.querySelectorAll("svg")) {
    if (!drawing.checkVisibility()) continue;
    const place = (drawing.closest("section")?.id ?? "page") + ", "
      + (drawing.getAttribute("aria-label") ?? "").slice(0, 40);
    const edge = drawing.getBoundingClientRect();
    const scale = drawing.getScreenCTM().a;
    const boxes = [...drawing.querySelectorAll("text")].filter(text => text.textContent.trim()).map(text => {
      const { left, right, top, bottom, height } = text.getBoundingClientRect();
      const words = text.textContent;
      const pixels = parseFloat(getComputedStyle(text).fontSize) * scale;
      if (!(right > left)) faults.push(place + ": '" + words + "' is not drawn");
      if (pixels < kLeastPixels) faults.push(place + ": '" + words + "' has " + pixels.toFixed(1) + " pixels");
      if (left < edge.left - 1 || right > edge.right + 1 || top < edge.top - 1 || bottom > edge.bottom + 1)
        faults.push(place + ": '" + words + "' leaves the drawing");
      return { words, left, right, top: top + kLineGap * height, bottom: bottom - kLineGap * height };
    });
    count += boxes.length;
    compare(place, boxes);
  }
  for (const group of document.querySelectorAll(".stack, .legend, .facts, nav ul")) {
    if (!group.checkVisibility()) continue;
    const parts = group.matches(".stack") ? [...group.children].flatMap(item => [...item.children]) : [...group.children];
    compare(group.className || "nav", parts.map(part => {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      return { words: part.textContent.trim().slice(0, 40), left, right, top, bottom };
    }));
  }
  return { count, faults };
})()`;
// Makes faults that the check of the labels must find: moves a label onto its neighbour and another out of its drawing,
// and makes a third one tiny.
const spoil = `(() => {
  const drawing = [...document.querySelectorAll("svg")].find(svg => svg.querySelectorAll("text").length > 3);
  const [first, second, third, fourth] = drawing.querySelectorAll("text");
  const kept = drawing.innerHTML;
  for (const name of ["x", "y", "class"]) second.setAttribute(name, first.getAttribute(name));
  third.setAttribute("x", -500);
  fourth.style.fontSize = "3px";
  window.mend = () => { drawing.innerHTML = kept; };
})()`;

const show = (browser, scheme, size) => Promise.all([
  browser.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] }),
  browser.send("Emulation.setDeviceMetricsOverride",
    { ...size, deviceScaleFactor: 1, mobile: size.width < 600 })]);

// Calls `visit(name, size)` at each size in each scheme, after the checks. The page must have `least` labels or more;
// if `least` is 0, it may have no drawings.
exports.checkViews = async (browser, expect, least, visit = async () => {}) => {
  for (const scheme of kSchemes)
    for (const [name, size] of Object.entries(kSizes)) {
      await show(browser, scheme, size);
      const view = `${scheme}-${name}`;
      const over = await browser.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(`${view}: nothing sticks out (${over} px)`, over <= 0);
      const { count, faults } = await browser.evaluate(labels);
      expect(`${view}: there are ${least} labels or more: ${count}`, count >= least);
      expect(`${view}: labels: ${faults.slice(0, 8).join("; ")}`, faults.length === 0);
      await visit(view, size);
    }
  if (least > 0) {
    await browser.evaluate(spoil);
    const { faults } = await browser.evaluate(labels);
    await browser.evaluate("mend()");
    for (const fault of ["overlaps", "leaves the drawing", "pixels"])
      expect(`a label that ${fault} is found`, faults.some(words => words.includes(fault)));
  }
  await browser.send("Emulation.clearDeviceMetricsOverride");
  await browser.send("Emulation.setEmulatedMedia", { features: [] });
};
exports.labels = labels;
exports.kViews = kSchemes.length * Object.keys(kSizes).length;
