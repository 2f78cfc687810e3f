// node follow_links.js CHROMIUM URL TOKEN WORDS...: opens a page of a server, gives the token when the browser asks for
// a password, and follows the links whose text begins with these words, one after the other. Reloads a page while
// a model is being fitted. The last page must be a report; its headline and its predictions (processes and seconds) are
// printed as JSON.
"use strict";
const { withBrowser } = require("../browser/browser.js");

const [chromium, server, token, ...words] = process.argv.slice(2);
let logins = 0;

const giveToken = async browser => {
  browser.listeners.push(({ method, params }) => {
    if (method === "Fetch.requestPaused") browser.send("Fetch.continueRequest", { requestId: params.requestId });
    if (method === "Fetch.authRequired") {
      const response = ++logins > 1 ? "CancelAuth" : "ProvideCredentials";
      browser.send("Fetch.continueWithAuth", { requestId: params.requestId,
        authChallengeResponse: { response, username: "alice", password: token } });
    }
    return false;  // goes on listening
  });
  await browser.send("Fetch.enable", { handleAuthRequests: true });
};

const run = async browser => {
  await browser.newPage();
  await giveToken(browser);
  await browser.visit(server);
  for (const text of words) {
    const link = `[...document.querySelectorAll("a[href]")].find(a => a.innerText.startsWith(${JSON.stringify(text)}))`;
    const page = () => browser.evaluate("document.body.innerText");
    while ((await page()).includes("a fit is under way")) await browser.load(() => browser.send("Page.reload"));
    if (!await browser.evaluate(`Boolean(${link})`)) throw new Error(`no link '${text}': ${await page()}`);
    await browser.load(() => browser.evaluate(link + ".click()"));
  }
  const { headline, prediction } = await browser.evaluate(`({
    headline: document.querySelector(".headline").innerText.replace(/\\s+/g, " "),
    prediction: [...document.querySelectorAll("#prediction tbody tr")].map(row =>
      [row.cells[0].dataset.v, row.cells[1].dataset.v]) })`);
  console.log(JSON.stringify({ logins, headline, prediction }));
};

withBrowser(chromium, 120, run).then(error => {
  if (error) console.error("FAILED: " + error);
  process.exitCode = error ? 1 : 0;
});
