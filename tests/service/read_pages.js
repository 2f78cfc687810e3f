// node read_pages.js CHROMIUM URL PATH...: prints what a reader without scripts sees of these pages, as a list in JSON.
"use strict";
const { withBrowser } = require("../browser/browser.js");

const [chromium, server, ...paths] = process.argv.slice(2);

// An element that is not shown has no words. A cell with a drawing has those of its text alternative.
const seen = `(() => {
  const shown = element => element.checkVisibility();
  const words = element => element.innerText.replace(/\\s+/g, " ").trim();
  const words_of_cell = cell => cell.querySelector("svg")?.getAttribute("aria-label") ?? words(cell);
  const all = (within, selector) => [...within.querySelectorAll(selector)].filter(shown);
  return {
    text: words(document.body),
    tables: all(document, "[role=region]").map(region => {
      const heads = all(region, "thead th").map(words);
      return { name: region.getAttribute("aria-label"), rows: all(region, "tbody tr").map(row =>
        Object.fromEntries(all(row, "th, td").map((cell, i) => [heads[i], words_of_cell(cell)]))) };
    }),
    drawings: all(document, "svg[role=img]").map(drawing => ({
      words: drawing.getAttribute("aria-label"),
      marks: [...drawing.querySelectorAll("[class]")].map(mark => mark.getAttribute("class")) })),
    links: all(document, "a[href]").map(link => [words(link), link.getAttribute("href")]),
  };
})()`;

const run = async browser => {
  await browser.newPage();
  await browser.send("Emulation.setScriptExecutionDisabled", { value: true });
  const pages = [];
  for (const path of paths) {
    await browser.visit(server + path);
    pages.push(await browser.evaluate(seen));
  }
  console.log(JSON.stringify(pages));
};

withBrowser(chromium, 120, run).then(error => {
  if (error) console.error("FAILED: " + error);
  process.exitCode = error ? 1 : 0;
});
