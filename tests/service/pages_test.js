// node pages_test.js CHROMIUM URL PATH...: opens pages of a server in headless Chromium.
"use strict";
const { withBrowser } = require("../browser/browser.js");
const { labels } = require("../browser/views.js");

const [chromium, server, ...paths] = process.argv.slice(2);
const failures = [];
let drawn = 0;  // labels in drawings
const expect = (what, holds) => {
  if (!holds) failures.push(what);
};

const contrast = `(() => {
  const parse = colour => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(element).backgroundColor);
      if (a === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("body *")].filter(element => !element.closest("svg") && element.checkVisibility()
    && [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())).filter(element => {
    const pair = [parse(getComputedStyle(element).color), behind(element)].map(luminance).sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05) < 4.5;
  }).map(element => element.tagName + "." + element.className);
})()`;

const check = async (browser, path) => {
  await browser.newPage();
  await browser.visit(server + path);
  expect(`${path}: a script in a name was run`, (await browser.evaluate("document.title")) !== "owned");
  const text = await browser.evaluate("document.body.innerText");
  expect(`${path}: names are shown as they are`, text.includes("<script>"));
  expect(`${path}: it has a heading`, await browser.evaluate("document.querySelectorAll('h1').length === 1"));
  const links = await browser.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.href)");
  expect(`${path}: links lead elsewhere: ${links}`, links.every(link => link.startsWith(server)));
  for (const scheme of ["light", "dark"]) {
    await browser.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    const faint = await browser.evaluate(contrast);
    expect(`${path}: faint text, ${scheme}: ${faint.slice(0, 5)}`, faint.length === 0);
    for (const width of [1200, 390]) {
      await browser.send("Emulation.setDeviceMetricsOverride",
        { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 });
      const over = await browser.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(`${path}: ${width} px: something sticks out (${over} px)`, over <= 0);
      const { count, faults } = await browser.evaluate(labels);
      expect(`${path}: ${width} px: labels: ${faults.slice(0, 8).join("; ")}`, faults.length === 0);
      drawn += count;
    }
  }
  // The tab key must reach every link and every table that scrolls.
  const count = await browser.evaluate(`(window.reachable = [...document.querySelectorAll(
    "a[href], button, input, select, summary, [tabindex='0']")].filter(e => e.checkVisibility()),
    document.activeElement.blur(), scrollTo(0, 0), window.reachable.length)`);
  for (let i = 0; i < count; ++i) {
    const key = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 };
    await browser.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
    await browser.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
    const at = await browser.evaluate("window.reachable.indexOf(document.activeElement)");
    if (at !== i) {
      expect(`${path}: the tab key goes to ${at} instead of ${i}`, false);
      break;
    }
  }
};

const run = async browser => {
  for (const path of paths) await check(browser, path);
  expect("pages have drawings with labels", drawn > 0);
  for (const { method, params } of browser.events) {
    if (["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"].includes(method))
      failures.push(method + ": " + JSON.stringify(params).slice(0, 400));
    if (method === "Network.requestWillBeSent" && params.type !== "Document" && !params.request.url.startsWith("data:"))
      failures.push("request: " + params.request.url);
  }
};

withBrowser(chromium, 120, run).then(error => {
  if (error) failures.push(error);
  for (const failure of failures) console.error("FAILED: " + failure);
  process.exitCode = failures.length > 0 ? 1 : 0;
});
