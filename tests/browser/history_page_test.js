// Tests the page of `apmt history` in headless Chromium. Usage: node history_page_test.js CHROMIUM PAGE.html
"use strict";
const { checkAccess } = require("./access.js");
const { checkViews } = require("./views.js");
const { withBrowser } = require("./browser.js");

const [chromium, page] = process.argv.slice(2);
const failures = [];
const expect = (what, holds) => {
  if (!holds) failures.push(what);
};

const run = async browser => {
  await browser.open(page);
  const headline = await browser.evaluate("document.body.innerText");
  expect("the page says since when the program is slower", /Since\s+version\s+v7\s+\(7\s+of\s+12\)\s+solver\s+is\s+22\s+%\s+slower/.test(headline));
  const charts = await browser.evaluate(`[...document.querySelectorAll("#series figure")].map(figure => {
    const box = figure.querySelector("svg").getBoundingClientRect();
    const inside = [...figure.querySelectorAll("circle")].filter(circle => {
      const { left, right, top, bottom } = circle.getBoundingClientRect();
      return left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom && right > left;
    });
    return { title: figure.querySelector("figcaption").textContent, inside: inside.length,
      points: figure.querySelectorAll("circle").length, levels: figure.querySelectorAll(".line").length,
      height: box.height };
  })`);
  expect("there are charts of the elapsed time and both kernels: " + JSON.stringify(charts),
    ["elapsed", "sweep", "pack"].every(what => charts.some(chart => chart.title.replace("main->", "").startsWith(what))));
  for (const chart of charts)
    expect("a chart shows each version once: " + JSON.stringify(chart),
      chart.points === 12 && chart.inside === 12 && chart.height > 50);
  const levels = what => charts.find(chart => chart.title.replace("main->", "").startsWith(what))?.levels;
  expect("slower times have two levels, others none", levels("sweep") === 2 && levels("elapsed") === 2 && levels("pack") === 0);
  const rows = await browser.evaluate("document.querySelectorAll('#series tbody tr').length");
  expect("the table has a row for each version: " + rows, rows === 12);

  await checkAccess(browser, expect, "#series");
  await checkViews(browser, expect, 20);
  for (const { method, params } of browser.events) {
    if (["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"].includes(method))
      failures.push(method + ": " + JSON.stringify(params));
    if (method === "Network.requestWillBeSent" && params.type !== "Document")
      failures.push("request: " + params.request.url);
  }
};

withBrowser(chromium, 90, run).then(error => {
  if (error) failures.push(error);
  for (const failure of failures) console.error("FAILED: " + failure);
  process.exitCode = failures.length > 0 ? 1 : 0;
});
