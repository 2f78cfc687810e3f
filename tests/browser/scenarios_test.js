// Compares the evaluator of an HTML report (the JavaScript that predicts behind the sliders) with `apmt predict` in
// random scenarios.
// Usage: node scenarios_test.js APMT MODEL PAGE.html SCENARIOS SEED KNOBS [PROFILE], where KNOBS names the sliders that
// the page must have ("latency bandwidth", or "any"), and PROFILE is the profile of the machine that made the runs.
"use strict";
const { spawnSync } = require("child_process");
const fs = require("fs");

const [apmt, model, page, wanted, seed, knobs, profile] = process.argv.slice(2);
const html = fs.readFileSync(page, "utf8");
const element = (type, id) => {
  const found = new RegExp(`<script${type} id="${id}">([^]*?)</script>`).exec(html);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found[1];
};
const table = JSON.parse(element(' type="application/json"', "evaluation-table"));
const makeEvaluator = new Function(element("", "evaluator") + "; return makeEvaluator;")();
const evaluator = makeEvaluator(table);

// Mulberry32, a random number generator: the same seed gives the same scenarios.
let state = Number(seed) >>> 0;
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const between = (low, high) => Math.exp(Math.log(low) + random() * Math.log(high / low));

const digits = value => value === null ? "unknown" : value.toPrecision(3);
let compared = 0;
let worst = 0;
const failures = [];
const compare = (scenario, what, is, should) => {
  ++compared;
  if (is !== should && is !== null && should !== null)
    worst = Math.max(worst, Math.abs(is - should) / Math.max(Math.abs(is), Math.abs(should)));
  if (digits(is) !== digits(should)) failures.push(`${scenario}: ${what} is ${is}, apmt predict says ${should}`);
};

// The answers of `apmt predict`, or the reason why it refuses.
const ask = (procs, set, turned) => {
  const args = ["predict", model, "--json", "--procs", procs.join(",")];
  for (const [name, value] of Object.entries(set)) args.push("--set", `${name}=${value}`);
  for (const knob of table.knobs) if (knob.name in turned) args.push(knob.option, "x" + turned[knob.name]);
  if (profile) args.push("--profiled-on", profile);
  const { status, stdout, stderr } = spawnSync(apmt, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (status === 3) return { why: stderr };
  if (status !== 0) throw new Error(stderr);
  const answers = JSON.parse(stdout);
  return { answers: procs.length === 1 ? [answers] : answers };
};

const turnable = table.knobs.filter(knob => !knob.cannot);
if (knobs !== "any" && turnable.map(knob => knob.name).join(" ") !== knobs)
  failures.push(`the page has sliders for "${turnable.map(knob => knob.name).join(" ")}", expected "${knobs}"`);
// Where the page has no slider, apmt predict refuses. If the time that cannot be separated is negligible, it may also
// answer (Outlook.AWhatIfThatCannotBeAnsweredAheadLeavesItOpen): with an unchanged time, and a warning that says so.
for (const knob of table.knobs.filter(knob => knob.cannot)) {
  const { answers, why } = ask([4 * table.max_procs], {}, { [knob.name]: 0.5 });
  const unchanged = ask([4 * table.max_procs], {}, {}).answers[0].time_s;
  if (!why && (answers[0].time_s !== unchanged || !answers[0].warnings.some(w => w.startsWith("unchanged: "))))
    failures.push(`apmt predict changes the time for ${knob.name}, the page does not: ${knob.cannot}`);
}

const kTogether = 25;  // process counts in one call
let refusals = 0;
for (let done = 0; done < Number(wanted); done += kTogether) {
  const set = {};
  const turned = {};
  if (done > 0) {  // the first call keeps the sizes and sliders of the report
    for (const [name, value] of Object.entries(table.sizes.base))
      if (random() < 0.7) set[name] = Math.round(between(Math.max(value / 8, 1), value * 8));
    for (const knob of turnable) if (random() < 0.5) turned[knob.name] = Number(between(1 / 16, 16).toPrecision(3));
  }
  let procs = Array.from({ length: kTogether }, () => Math.round(between(1, 2000 * table.max_procs)));
  procs[0] = 1;  // on one process some parts are zero
  const refused = procs.filter(count => evaluator.predict(count, set, turned).refused);
  if (refused.length > 0) {
    ++refusals;
    const { why } = ask(refused.slice(0, 1), set, turned);
    const { refused: said } = evaluator.predict(refused[0], set, turned);
    if (!why || !why.includes(said)) failures.push(`${refused[0]} processes: the page refuses, "${said}", apmt: ${why}`);
    procs = procs.filter(count => !refused.includes(count));
    if (procs.length === 0) continue;
  }
  const { answers, why } = ask(procs, set, turned);
  if (!answers) {
    failures.push(`apmt predict refuses what the page answers, ${JSON.stringify(turned)}: ${why}`);
    continue;
  }
  if (answers.length !== procs.length) throw new Error("an answer is missing");
  for (const answer of answers) {
    const scenario = `${answer.procs} processes ${JSON.stringify(set)} ${JSON.stringify(turned)}`;
    const said = evaluator.predict(answer.procs, set, turned);
    compare(scenario, "time", said.time.time, answer.time_s);
    compare(scenario, "low", said.time.low, answer.low_s);
    compare(scenario, "high", said.time.high, answer.high_s);
    const compareEstimate = (what, estimate, time, interval) => {
      compare(scenario, what, estimate ? estimate.time : null, time);
      if (!estimate || interval === null) return;
      compare(scenario, what + " low", estimate.low, interval[0]);
      compare(scenario, what + " high", estimate.high, interval[1]);
    };
    for (const [part, time] of Object.entries(answer.parts)) {
      const isSplit = said.split && (part === "comp_s" || part === "mem_s");
      const estimate = isSplit ? said.split[part.slice(0, -2)] : said.parts.get(part);
      compareEstimate(part, estimate, time, answer.part_intervals[part]);
    }
    for (const kernel of answer.kernels) {
      const place = table.laws.map((law, i) => [law, i]).filter(([law]) => law.part === "comp_s")[kernel.index][1];
      compareEstimate(kernel.name, said.laws[place], kernel.time_s, [kernel.low_s, kernel.high_s]);
      for (const part of ["comp", "mem", "transfer", "wait"])
        compareEstimate(`${kernel.name} ${part}`, said.kernels[place][part], kernel[part + "_s"],
          kernel[part + "_interval_s"]);
    }
  }
}
for (const failure of failures.slice(0, 20)) console.error("FAILED: " + failure);
console.log(`${wanted} scenarios, ${compared} figures, ${failures.length} that differ in three digits, `
  + `${refusals} refused; `
  + `largest relative difference ${worst.toExponential(1)}`);
process.exitCode = failures.length > 0 || compared === 0 ? 1 : 0;
