// What the page's evaluator says, against `apmt predict`, over random scenarios.
// Usage: node scenarios_test.js APMT MODEL PAGE.html SCENARIOS SEED
"use strict";
const { execFileSync } = require("child_process");
const fs = require("fs");

const [apmt, model, page, wanted, seed] = process.argv.slice(2);
const html = fs.readFileSync(page, "utf8");
const element = (type, id) => {
  const found = new RegExp(`<script${type} id="${id}">([^]*?)</script>`).exec(html);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found[1];
};
const table = JSON.parse(element(' type="application/json"', "evaluation-table"));
const makeEvaluator = new Function(element("", "evaluator") + "; return makeEvaluator;")();
const evaluator = makeEvaluator(table);

// Mulberry32: the same scenarios every time.
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

const kTogether = 25;  // process counts that one call answers
for (let done = 0; done < Number(wanted); done += kTogether) {
  const set = {};
  if (done > 0)  // the first as in the report
    for (const [name, value] of Object.entries(table.sizes.base))
      if (random() < 0.7) set[name] = Math.round(between(Math.max(value / 8, 1), value * 8));
  const procs = Array.from({ length: kTogether }, () => Math.round(between(1, 2000 * table.max_procs)));
  const args = ["predict", model, "--json", "--procs", procs.join(",")];
  for (const [name, value] of Object.entries(set)) args.push("--set", `${name}=${value}`);
  const answers = JSON.parse(execFileSync(apmt, args, { encoding: "utf8", maxBuffer: 1 << 28 }));
  if (answers.length !== procs.length) throw new Error("an answer is missing");
  for (const answer of answers) {
    const scenario = `${answer.procs} processes ${JSON.stringify(set)}`;
    const said = evaluator.predict(answer.procs, set);
    compare(scenario, "time", said.time.time, answer.time_s);
    compare(scenario, "low", said.time.low, answer.low_s);
    compare(scenario, "high", said.time.high, answer.high_s);
    for (const [part, time] of Object.entries(answer.parts)) {
      const estimate = said.parts.get(part);
      compare(scenario, part, estimate ? estimate.time : null, time);
      const interval = answer.part_intervals[part];
      if (!estimate || interval === null) continue;
      compare(scenario, part + " low", estimate.low, interval[0]);
      compare(scenario, part + " high", estimate.high, interval[1]);
    }
    for (const kernel of answer.kernels) {
      const place = table.laws.map((law, i) => [law, i]).filter(([law]) => law.part === "comp_s")[kernel.index][1];
      compare(scenario, kernel.name, said.laws[place].time, kernel.time_s);
      compare(scenario, kernel.name + " low", said.laws[place].low, kernel.low_s);
      compare(scenario, kernel.name + " high", said.laws[place].high, kernel.high_s);
    }
  }
}
for (const failure of failures.slice(0, 20)) console.error("FAILED: " + failure);
console.log(`${wanted} scenarios, ${compared} figures, ${failures.length} that differ in three digits; `
  + `largest relative difference ${worst.toExponential(1)}`);
process.exitCode = failures.length > 0 || compared === 0 ? 1 : 0;
