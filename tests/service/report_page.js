// node report_page.js CHROMIUM URL PROCS...: moves the sliders of a report on a server. Prints as JSON what the panel
// says at these process counts, its answers along a slider, the policy of the server, and the messages of the browser:
// first those of the page, then those that a violation of the policy provokes.
"use strict";
const { withBrowser } = require("../browser/browser.js");

const [chromium, url, ...counts] = process.argv.slice(2);

const messages = browser => browser.events
  .filter(({ method }) => ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"].includes(method))
  .map(({ params }) => JSON.stringify(params));

const run = async browser => {
  await browser.newPage();
  await browser.visit(url);
  const said = await browser.evaluate(`${JSON.stringify(counts)}.map(procs => {
    const field = document.querySelector("#what-if input[type=number]");
    field.value = procs;
    field.dispatchEvent(new Event("input"));
    const [, time, interval] = document.querySelector("#what-if tbody tr").cells;
    return { answer: document.querySelector("#what-if .answer").innerText, time: time.textContent,
      interval: interval.textContent };
  })`);
  const moved = await browser.evaluate(`[0, 500, 1000].map(at => {
    const slider = document.querySelector("#what-if input[type=range]");
    slider.value = at;
    slider.dispatchEvent(new Event("input"));
    return document.querySelector("#what-if .answer").innerText;
  })`);
  const before = messages(browser);
  await browser.evaluate(`fetch("/healthz").catch(() => {})`);
  const response = browser.events.find(({ method }) => method === "Network.responseReceived").params.response;
  console.log(JSON.stringify({ said, moved, policy: response.headers["Content-Security-Policy"] ?? "",
    messages: before, provoked: messages(browser).slice(before.length) }));
};

withBrowser(chromium, 120, run).then(error => {
  if (error) console.error("FAILED: " + error);
  process.exitCode = error ? 1 : 0;
});
