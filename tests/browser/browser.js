// Drives headless Chromium over its debugging pipe, without any npm package.
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { pathToFileURL } = require("url");

// Exchanges DevTools messages over file descriptors 3 (to the browser) and 4 (from it); a zero byte ends each message.
class Browser {
  constructor(command, profile) {
    this.process = spawn(command, ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking", "--disable-sync",
      "--disable-component-update", `--user-data-dir=${profile}`, "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.waiting = new Map();
    this.events = [];
    this.listeners = [];
    this.next = 1;
    let rest = "";
    this.process.stdio[4].on("data", data => {
      const messages = (rest + data).split("\0");
      rest = messages.pop();
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }
  receive(message) {
    if (message.id) {
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(JSON.stringify(message.error)));
      else resolve(message.result);
      return;
    }
    this.events.push(message);
    this.listeners = this.listeners.filter(listener => !listener(message));
  }
  send(method, params = {}) {
    const id = this.next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
  event(method) {
    return new Promise(resolve => this.listeners.push(message => {
      if (message.method !== method) return false;
      resolve(message.params);
      return true;
    }));
  }
  /// Opens a new page, which is empty.
  async newPage() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(domain + ".enable");
  }
  /// Calls `action`, which makes the page load another address, and waits until that address is
  /// loaded.
  async load(action) {
    const loaded = this.event("Page.loadEventFired");
    await action();
    await loaded;
  }
  /// Opens an address in the current page.
  async visit(url) {
    await this.load(() => this.send("Page.navigate", { url }));
  }
  /// Opens a file in a new page.
  async open(file) {
    await this.newPage();
    await this.visit(pathToFileURL(path.resolve(file)).href);
  }
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate",
      { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(expression + ": " + JSON.stringify(exceptionDetails));
    return result.value;
  }
}

// Starts a browser, calls `use(browser)` and closes the browser. Resolves to an error message, or to undefined if there
// was no error.
exports.withBrowser = async (chromium, limitInSeconds, use) => {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "apmt-browser-"));
  const browser = new Browser(chromium, profile);
  let error;
  const ended = new Promise(resolve => browser.process.on("exit", resolve));
  const limit = setTimeout(() => {
    error = `the browser did not answer for ${limitInSeconds} seconds`;
    browser.process.kill("SIGKILL");
  }, 1000 * limitInSeconds);
  try {
    await Promise.race([use(browser), ended]);
  } catch (thrown) {
    error = String(thrown);
  }
  browser.session = undefined;
  browser.send("Browser.close").catch(() => {});
  await ended;
  clearTimeout(limit);
  fs.rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  return error;
};
