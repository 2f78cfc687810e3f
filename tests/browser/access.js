// Checks that a page is accessible: every picture has a text alternative and every control a name, headings skip no
// level, text has enough contrast, and the tab key visits all controls in the order of the page.
"use strict";

// Expressions that run in the page; each returns a list of faults.
const pictures = `[...document.querySelectorAll("svg, img, canvas")]
  .filter(picture => !(picture.getAttribute("role") === "img" && (picture.getAttribute("aria-label") || "").trim().length > 5)
    && !(picture.matches(".key") && picture.getAttribute("aria-hidden") === "true" && picture.parentElement.textContent.trim()))
  .map(picture => picture.outerHTML.slice(0, 120))`;
const controls = `[...document.querySelectorAll("button, input, select, textarea, a[href]")]
  .filter(control => {
    const words = control.getAttribute("aria-label") || control.textContent
      || [...(control.labels || [])].map(label => label.textContent).join("");
    return !words.trim();
  }).map(control => control.outerHTML.slice(0, 120))`;
const order = `[...document.querySelectorAll("[tabindex]")].filter(e => e.tabIndex > 0).map(e => e.outerHTML.slice(0, 120))`;
const headings = `(() => {
  const levels = [...document.querySelectorAll("h1,h2,h3,h4")].filter(h => h.checkVisibility()).map(h => Number(h.tagName[1]));
  return levels.filter((level, i) => i === 0 ? level !== 1 : level > levels[i - 1] + 1).map(level => "h" + level);
})()`;
const contrast = `(() => {
  const parse = colour => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const luminance = rgb => rgb.map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const { rgb, a } = parse(getComputedStyle(element).backgroundColor);
      if (a === 1) return rgb;
    }
    return [255, 255, 255];
  };
  const faint = new Set();
  for (const element of document.querySelectorAll("body *:not(script):not(style)")) {
    if (element.closest("svg") || !element.checkVisibility()) continue;
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    const pair = [parse(getComputedStyle(element).color).rgb, behind(element)].map(luminance).sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) faint.add(element.tagName + "." + element.className + " " + ratio.toFixed(2));
  }
  return [...faint];
})()`;

const pressTab = async browser => {
  const key = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 };
  await browser.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
  await browser.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
};

// Presses the tab key once for each reachable element, and expects that it visits them in the order of the page.
const walk = async (browser, expect) => {
  const count = await browser.evaluate(`(() => {
    window.reachable = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
      .filter(e => !e.disabled && e.checkVisibility());
    document.activeElement.blur();
    scrollTo(0, 0);
    return window.reachable.length;
  })()`);
  expect("something can be reached by the keyboard", count > 5);
  const places = [];
  for (let i = 0; i < count; ++i) {
    await pressTab(browser);
    places.push(await browser.evaluate("window.reachable.indexOf(document.activeElement)"));
  }
  expect(`the tab key reaches everything in the order of the page: ${places} of ${count}`,
    places.every((place, i) => place === i));
};

// Presses Enter on a column header, and expects that this sorts the table.
const pressEnter = async (browser, expect, table) => {
  await browser.evaluate(`document.querySelectorAll('${table} thead th')[1].querySelector('button').focus()`);
  const sorted = () => browser.evaluate(
    `document.querySelectorAll('${table} thead th')[1].getAttribute('aria-sort')`);
  const before = await sorted();
  const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" };
  await browser.send("Input.dispatchKeyEvent", { type: "keyDown", ...key });
  await browser.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  expect("Enter on the head of a column sorts", (await sorted()) !== before);
};

// Makes all checks. `table` is the CSS selector of the section whose table is sorted.
exports.checkAccess = async (browser, expect, table = "#prediction") => {
  const none = async (what, script) => {
    const wrong = await browser.evaluate(script);
    expect(`${what}: ${wrong.slice(0, 5).join("; ")}`, wrong.length === 0);
  };
  await none("pictures without a text alternative", pictures);
  await none("controls without a name", controls);
  await none("elements with their own place in the tab order", order);
  await none("headings that skip a level", headings);
  for (const scheme of ["light", "dark"]) {
    await browser.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await none(`faint text, ${scheme}`, contrast);
  }
  await browser.send("Emulation.setEmulatedMedia", { features: [] });
  await walk(browser, expect);
  await pressEnter(browser, expect, table);
};
