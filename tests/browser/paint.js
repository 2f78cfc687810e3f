// Measures the time to the first paint of a page, and fails if it is MOST_MILLISECONDS or more.
// Usage: node paint.js CHROMIUM PAGE.html MOST_MILLISECONDS
"use strict";
const { withBrowser } = require("./browser.js");

const [chromium, page, most] = process.argv.slice(2);
let painted;
withBrowser(chromium, 120, async browser => {
  await browser.open(page);
  painted = await browser.evaluate(`new Promise(resolve => new PerformanceObserver(list => {
    const first = list.getEntriesByName("first-contentful-paint")[0];
    if (first) resolve(first.startTime);
  }).observe({ type: "paint", buffered: true }))`);
}).then(error => {
  if (error) console.error("FAILED: " + error);
  else console.log(`first paint after ${painted.toFixed(0)} ms`);
  process.exitCode = error || !(painted < Number(most)) ? 1 : 0;
});
