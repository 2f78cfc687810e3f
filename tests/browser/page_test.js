// Tests an HTML report in a real browser (headless Chromium).
// Usage: node page_test.js CHROMIUM PAGE.html golden|recorded|planted [PICTURES], where PICTURES is a folder for
// screenshots. The golden page has no sliders. The folder of the planted page also contains the file what-ifs: each
// line has a process count, the factors of the sliders, and the JSON that `apmt predict` printed for them.
"use strict";
const fs = require("fs");
const path = require("path");
const zlib = require("zlib");
const { checkAccess } = require("./access.js");
const { checkViews, kViews } = require("./views.js");
const { withBrowser } = require("./browser.js");

const [chromium, page, kind, pictures] = process.argv.slice(2);
const failures = [];
const expect = (what, holds) => {
  if (!holds) failures.push(what);
};

// The share of non-zero bytes in the decompressed data of a PNG. PNG stores the differences between neighbouring
// pixels, so the share is about 0 for a picture of a single colour.
const coloured = png => {
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const bytes = zlib.inflateSync(Buffer.concat(parts));
  let changes = 0;
  for (const byte of bytes) if (byte !== 0) ++changes;
  return changes / bytes.length;
};

const picture = async (browser, name, size) => {
  await browser.send("Emulation.setDeviceMetricsOverride",
    { width: size.width, height: size.height, deviceScaleFactor: 1, mobile: size.width < 600 });
  const { data } = await browser.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: Boolean(pictures) });
  if (pictures) fs.writeFileSync(path.join(pictures, name + ".png"), Buffer.from(data, "base64"));
  expect(`${name} is not blank`, coloured(Buffer.from(data, "base64")) > 0.005);
  return data;
};

const run = async browser => {
  await browser.open(page);

  // Clicks on the header of a column of figures sort the table, first descending, then ascending.
  const column = "[...document.querySelectorAll('#prediction tbody tr')].map(r => Number(r.cells[1].dataset.v))";
  const times = await browser.evaluate(column);
  expect("the prediction has several rows", times.length >= 3);
  const click = "document.querySelectorAll('#prediction thead th')[1].querySelector('button').click()";
  await browser.evaluate(click);
  const descending = await browser.evaluate(column);
  expect("a click sorts descending",
    JSON.stringify(descending) === JSON.stringify([...times].sort((a, b) => b - a)));
  await browser.evaluate(click);
  const ascending = await browser.evaluate(column);
  expect("another sorts ascending",
    JSON.stringify(ascending) === JSON.stringify([...times].sort((a, b) => a - b)));

  // Each section of an analysed kernel has one Kiviat picture and three charts, with dots in four colours.
  const analysed = await browser.evaluate(`[...document.querySelectorAll("section[id^=analysed-]")].map(section => ({
    kiviats: section.querySelectorAll("svg.kiviat").length,
    charts: section.querySelectorAll("svg.chart").length,
    width: section.querySelector("path.shape").getBBox().width,
    colours: new Set([...section.querySelectorAll("circle.dot")].map(dot => getComputedStyle(dot).fill)).size,
  }))`);
  expect("analysed kernels are on the page that was given them", analysed.length === (kind === "planted" ? 12 : 0));
  expect("each has its pictures, in four colours", analysed.every(kernel => kernel.kiviats === 1
    && kernel.charts === 3 && kernel.width > 50 && kernel.colours === 4));

  // Searching hides the rows that do not match.
  const searchable = await browser.evaluate("document.querySelectorAll('input[type=search]').length");
  if (searchable > 0) {
    const [shown, all] = await browser.evaluate(`(() => {
      const input = document.querySelector("input[type=search]");
      const rows = [...input.closest(".table").querySelectorAll("tbody tr")];
      input.value = rows[0].cells[0].textContent.trim();
      input.dispatchEvent(new Event("input"));
      const left = rows.filter(row => !row.hidden).length;
      input.value = "";
      input.dispatchEvent(new Event("input"));
      return [left, rows.filter(row => !row.hidden).length];
    })()`);
    expect("searching shows some rows", shown >= 1 && shown < all);
  }

  // The copied CSV text has a header and a line for each row of the table.
  const copied = await browser.evaluate(`(async () => {
    let text = "";
    Object.defineProperty(navigator, "clipboard",
      { configurable: true, value: { writeText: async value => { text = value; } } });
    const box = document.querySelector("#prediction .table");
    [...box.querySelectorAll("button")].find(b => b.textContent === "Copy as CSV").click();
    await new Promise(resolve => setTimeout(resolve, 0));
    return text;
  })()`);
  const lines = copied.trim().split("\n");
  expect("CSV has a line for every row", lines.length === times.length + 1);
  expect("CSV names its columns with units", /time_s/.test(lines[0]));
  expect("CSV has every figure in full", ascending.every((time, row) => lines[row + 1].includes(String(time))));

  // At each process count of the table, the panel of sliders shows the same text as the table.
  if (kind !== "golden") {
    const [said, written] = await browser.evaluate(`(() => {
      const table = document.querySelector("#prediction table");
      const column = name => [...table.tHead.rows[0].cells].findIndex(head => head.dataset.csv === name);
      const columns = ["procs", "time_s", "interval_low_s,interval_high_s"].map(column);
      const written = [...table.tBodies[0].rows].map(row => columns.map(c => row.cells[c].textContent.trim()));
      const field = document.querySelector("#what-if input[type=number]");
      const said = written.map(([procs]) => {
        field.value = procs;
        field.dispatchEvent(new Event("input"));
        const [, time, interval] = document.querySelector("#what-if tbody tr").cells;
        return [procs, time.textContent, interval.textContent];
      });
      return [said, written];
    })()`);
    expect("sliders say what the table says:\n" + JSON.stringify(said) + "\n" + JSON.stringify(written),
      said.length >= 3 && JSON.stringify(said) === JSON.stringify(written));
    const moved = await browser.evaluate(`(() => {
      const answers = [0, 500, 1000].map(at => {
        const slider = document.querySelector("#what-if input[type=range]");
        slider.value = at;
        slider.dispatchEvent(new Event("input"));
        return document.querySelector("#what-if .answer").textContent;
      });
      document.querySelector("#what-if button").click();
      return answers;
    })()`);
    expect("moving the slider changes the answer: " + moved, new Set(moved).size === 3);
  }

  // After sliders of the machine are moved, the panel shows the same figures as `apmt predict`, to three digits.
  if (kind === "planted") {
    const lines = fs.readFileSync(path.join(path.dirname(page), "what-ifs"), "utf8").trim().split("\n");
    expect("there are what-ifs to try", lines.length > 1);
    for (const line of lines) {
      const [, procs, knobs, answer] = /^(\d+) ({.*?}) ({.*)$/.exec(line);
      const { time_s, low_s, high_s } = JSON.parse(answer);
      const said = await browser.evaluate(`(() => {
        const type = (label, value) => {
          const field = [...document.querySelectorAll("#what-if label")].find(l => l.textContent.startsWith(label))
            .querySelector("input");
          field.value = value;
          field.dispatchEvent(new Event("input"));
        };
        type("processes", ${procs});
        for (const [name, factor] of Object.entries(${knobs})) type(name, factor);
        const [, time, interval] = document.querySelector("#what-if tbody tr").cells;
        document.querySelector("#what-if button").click();
        return [time.dataset.v, interval.dataset.v, interval.dataset.h].map(Number);
      })()`);
      expect(`${procs} processes, ${knobs}: ${said}; apmt predict says ${[time_s, low_s, high_s]}`,
        [time_s, low_s, high_s].every((value, i) => value.toPrecision(3) === said[i].toPrecision(3)));
    }
    const missing = await browser.evaluate("document.querySelector('#what-if .cannot').textContent");
    expect("every slider is there: " + missing, missing === "");
  }

  // A click on the matrix of messages enlarges the clicked part; the matrix's last button shows it
  // in full again.
  const box = () => browser.evaluate("document.querySelector('.matrix svg')?.getAttribute('viewBox')");
  const whole = await box();
  const side = whole ? Number(whole.split(" ")[2]) : 0;
  if (side > 4) {
    await browser.evaluate(`(() => {
      const picture = document.querySelector(".matrix svg");
      const { left, top, width, height } = picture.getBoundingClientRect();
      picture.dispatchEvent(new MouseEvent("click",
        { clientX: left + width, clientY: top + height, bubbles: true }));
    })()`);
    const size = Math.max(4, side / 2);
    const enlarged = (await box()).split(" ").map(Number);  // within a pixel, because clicks have integer coordinates
    expect("a click enlarges its corner", [side - size, side - size, size, size]
      .every((wanted, i) => Math.abs(enlarged[i] - wanted) < 0.02 * side));
    await browser.evaluate("[...document.querySelectorAll('.matrix button')].pop().click()");
    expect("and the last button shows all of it", (await box()) === whole);
  }

  await checkAccess(browser, expect);

  // The page in the sizes of a desktop, a tablet and a phone, in light and dark colours: all screenshots must differ.
  const seen = new Set();
  await checkViews(browser, expect, kind === "planted" ? 100 : 8, async (view, size) =>
    seen.add(await picture(browser, view, size)));
  expect("every size and colour scheme looks different", seen.size === kViews);
  await browser.send("Emulation.setEmulatedMedia", { media: "print", features: [] });
  const kPrinted = 688;  // pixels between the margins of A4
  await picture(browser, "print", { width: kPrinted, height: 1000 });
  const over = await browser.evaluate("document.documentElement.scrollWidth - innerWidth");
  expect(`nothing is cut off in print (${over} px)`, over <= 0);
  await browser.send("Emulation.clearDeviceMetricsOverride");
  await browser.send("Emulation.setEmulatedMedia", { media: "", features: [] });
  const pdf = Buffer.from((await browser.send("Page.printToPDF", {})).data, "base64");
  expect("it prints", pdf.subarray(0, 5).toString() === "%PDF-" && pdf.length > 20000);
  if (pictures) fs.writeFileSync(path.join(pictures, "print.pdf"), pdf);

  // During the whole test, the page must print no message, throw no exception and request nothing except itself.
  for (const { method, params } of browser.events) {
    if (method === "Runtime.consoleAPICalled") failures.push("console: " + JSON.stringify(params.args));
    if (method === "Runtime.exceptionThrown") failures.push("exception: " + params.exceptionDetails.text);
    if (method === "Log.entryAdded") failures.push("log: " + params.entry.text);
    if (method === "Network.requestWillBeSent" && params.type !== "Document")
      failures.push("request: " + params.request.url);
  }
  const documents = browser.events.filter(e => e.method === "Network.requestWillBeSent").length;
  expect("the page itself was requested, once", documents === 1);
};

withBrowser(chromium, 150, run).then(error => {
  if (error) failures.push(error);
  for (const failure of failures) console.error("FAILED: " + failure);
  process.exitCode = failures.length > 0 ? 1 : 0;
});
