// Shows a page at every size and in both colour schemes. Usage: node views_test.js CHROMIUM PAGE.html LABELS [PICTURES],
// where LABELS is the number of labels that the page must have at least, and PICTURES is a folder for screenshots.
"use strict";
const fs = require("fs");
const path = require("path");
const { checkViews } = require("./views.js");
const { withBrowser } = require("./browser.js");

const [chromium, page, least, pictures] = process.argv.slice(2);
const failures = [];
const expect = (what, holds) => {
  if (!holds) failures.push(what);
};

withBrowser(chromium, 90, async browser => {
  await browser.open(page);
  await checkViews(browser, expect, Number(least), async view => {
    if (!pictures) return;
    const { data } = await browser.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true });
    fs.writeFileSync(path.join(pictures, `${path.basename(page, ".html")}-${view}.png`), Buffer.from(data, "base64"));
  });
}).then(error => {
  if (error) failures.push(error);
  for (const failure of failures) console.error("FAILED: " + failure);
  process.exitCode = failures.length > 0 ? 1 : 0;
});
