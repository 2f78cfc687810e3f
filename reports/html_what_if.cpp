#include "reports/html_pieces.h"

namespace apmt {

std::string html_what_if(const Json& table) {
  // Every "<" in the data is escaped, because the data are inside a <script> element, which
  // "</script" would end.
  std::string data;
  for (const char c : table.dump(-1, ' ', false, Json::error_handler_t::replace))
    data += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return "<section id=\"what-if\" aria-labelledby=\"what-if-title\" hidden>\n"
         "<h2 id=\"what-if-title\">What if</h2>\n"
         "<p>Move a slider, or type a number: the page evaluates the same model as "
         "<code>apmt predict</code>.</p>\n"
         "<div class=\"sliders\"></div>\n<ul class=\"notes cannot\"></ul>\n<p class=\"answer\" "
         "role=\"status\"></p>\n<ul class=\"notes turned\"></ul>\n"
         "<div class=\"table\" data-title=\"What if\" hidden>\n<div class=\"bar\"><p "
         "class=\"caption\"></p>"
         "</div>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"What if: the "
         "parts of the answer\">\n<table>\n<thead><tr><th scope=\"col\" class=\"t\" "
         "data-csv=\"part\">part</th><th scope=\"col\" data-csv=\"time_s\" title=\"fitted\">time"
         "</th><th scope=\"col\" data-csv=\"interval_low_s,interval_high_s\" title=\"fitted\">"
         "interval</th><th scope=\"col\" data-csv=\"share\" title=\"derived\">share</th><th "
         "scope=\"col\" data-csv=\"in_report_s\" title=\"fitted\">in the report</th></tr>"
         "</thead>\n<tbody></tbody>\n</table>\n</div>\n</div>\n<p>From a terminal: <code "
         "class=\"command\"></code></p>\n</section>\n"
         "<script type=\"application/json\" id=\"evaluation-table\">" +
         data + "</script>\n<script id=\"evaluator\">" + std::string(html_evaluator_of_laws()) +
         std::string(html_evaluator_of_posteriors()) + std::string(html_evaluator_of_models()) +
         "</script>\n<script>" + std::string(html_what_if_script()) + "</script>\n";
}

// The script of the controls and of the answer; the evaluator calculates the numbers.
std::string_view html_what_if_script() {
  return R"js(
"use strict";
(() => {
  const kManyLaws = 60;  // with more laws, the page opens without an update
  const kMostKernels = 8;
  const kLeastShare = 1e-7;  // of the time: a part that takes less is left out
  let report;  // the prediction that the report is about, once it is needed
  const kKernelParts = [["comp", "computation"], ["mem", "memory"], ["transfer", "its messages"], ["wait", "its waiting"]];
  const table = JSON.parse(document.getElementById("evaluation-table").textContent);
  const evaluator = makeEvaluator(table);
  const section = document.getElementById("what-if");
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

  // These functions write figures as reports/numbers.cpp does.
  const rounded = (value, digits) => {
    if (value === 0) return 0;
    const scale = Math.pow(10, Math.floor(Math.log10(Math.abs(value))) - (digits - 1));
    return Math.round(value / scale) * scale;
  };
  const significant = (value, digits = 3) => {
    if (value === 0) return "0";
    const near = rounded(value, digits);
    return near.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(near)) + 1e-9)));
  };
  const kNoTime = 1e-13;  // in seconds; less is shown as 0
  const scales = [[1e-9, "ns"], [1e-6, "us"], [1e-3, "ms"], [1, "s"], [36000, "h"]];
  const scaleOf = (value, digits = 3) => {
    const size = rounded(Math.abs(value), digits);
    let i = 0;
    while (i + 1 < scales.length && size >= scales[i + 1][0] * (1 - 1e-9)) ++i;
    return [scales[i][0] >= 3600 ? 3600 : scales[i][0], scales[i][1]];
  };
  const seconds = value => {
    if (Math.abs(value) < kNoTime) return "0 s";
    const [unit, name] = scaleOf(value);
    return significant(value / unit) + " " + name;
  };
  const range = (low, high) => {
    if (high < kNoTime) return "0 s";
    if (low < kNoTime) low = 0;
    const [unit, name] = scaleOf(high);
    return significant(low / unit) + " to " + significant(high / unit) + " " + name;
  };
  const share = value => {
    const percent = 100 * value;
    if (percent === 0) return "0 %";
    if (percent < 0.01) return "< 0.01 %";
    return significant(percent, percent < 0.1 ? 1 : percent >= 99.5 ? 3 : 2) + " %";
  };

  const row = (name, estimate, whole, kind, before) => {
    const line = make("tr", { className: kind === "whole" ? "on" : "" });
    const head = make("th", { className: kind === "kernel" ? "t code" : "t", scope: "row" });
    head.append(make("span", { textContent: name }));
    const cell = (text, value, high) => {
      const made = make("td", { textContent: text });
      made.dataset.v = value;
      if (high !== undefined) made.dataset.h = high;
      return made;
    };
    const part = whole > 0 ? estimate.time / whole : 0;
    line.append(head, cell(seconds(estimate.time), estimate.time),
      cell(range(estimate.low, estimate.high), estimate.low, estimate.high), cell(share(part), part),
      before ? cell(seconds(before.time), before.time) : make("td", { textContent: "\u2013" }));
    return line;
  };

  // A slider on a logarithmic scale and a field for the exact number.
  const controls = [];
  const control = (name, low, high, isWhole, initial, was = "") => {
    const kSteps = 1000;
    const box = make("div", { className: "slider" });
    const label = make("label", { textContent: name });
    const field = make("input", { type: "number", min: isWhole ? 1 : 0, step: isWhole ? 1 : "any", value: initial });
    const slider = make("input", { type: "range", min: 0, max: kSteps, step: 1 });
    slider.setAttribute("aria-label", name + ", slider");
    const place = () => {
      slider.value = Math.round(kSteps * Math.log(Number(field.value) / low) / Math.log(high / low));
      slider.setAttribute("aria-valuetext", field.value);
    };
    const made = { name, given: false, value: () => Number(field.value),
      follow: value => { field.value = value; place(); } };
    slider.addEventListener("input", () => {
      const value = low * Math.pow(high / low, Number(slider.value) / kSteps);
      field.value = isWhole ? Math.round(value) : Number(value.toPrecision(3));
      made.given = true;
      slider.setAttribute("aria-valuetext", field.value);
      update();
    });
    field.addEventListener("input", () => {
      if (!(Number(field.value) > 0)) return;
      made.given = true;
      place();
      update();
    });
    label.append(field);
    box.append(label, slider);
    if (was) box.append(make("p", { className: "was", textContent: was }));
    section.querySelector(".sliders").append(box);
    place();
    controls.push(made);
    return made;
  };

  const procs = control("processes", table.min_procs, 1000 * table.max_procs, true, table.asked_procs);
  const base = evaluator.paramsAt(table.asked_procs);
  const sizes = Object.entries(base).filter(([, value]) => value > 0)
    .map(([name, value]) => control(name, value / 10, value * 10, Number.isInteger(value), value));
  const knobs = table.knobs.filter(knob => !knob.cannot).map(knob => Object.assign(
    control(knob.name + " \u00d7", 1 / 16, 16, false, 1, knob.was ? "was " + knob.was : ""), { knob }));
  section.querySelector(".cannot").append(...table.knobs.filter(knob => knob.cannot)
    .map(knob => make("li", { textContent: "No slider for " + knob.name + ": " + knob.cannot + "." })));
  const reset = make("button", { type: "button", textContent: "as in the report" });
  reset.addEventListener("click", () => {
    for (const made of controls) made.given = false;
    procs.follow(table.asked_procs);
    for (const made of knobs) made.follow(1);
    update();
  });
  const tools = make("div", { className: "tools" });
  tools.append(reset);
  section.querySelector(".sliders").append(tools);

  const update = () => {
    const count = Math.min(Math.max(Math.round(procs.value()), 1), 1 << 24);
    const given = Object.fromEntries(sizes.filter(size => size.given).map(size => [size.name, size.value()]));
    const params = evaluator.paramsAt(count, given);
    for (const size of sizes) if (!size.given) size.follow(params[size.name]);
    const turned = knobs.filter(made => made.value() !== 1);
    const answer = section.querySelector(".answer");
    const body = section.querySelector("tbody");
    const result = evaluator.predict(count, given,
      Object.fromEntries(turned.map(made => [made.knob.name, made.value()])));
    const notes = new Set(result && !result.refused ? turned.flatMap(made => made.knob.notes) : []);
    section.querySelector(".turned").replaceChildren(...[...notes].map(text => make("li", { textContent: text + "." })));
    if (!result || result.refused) {
      answer.textContent = result ? "Not known here: " + result.refused + "." : "With these sizes there is no work.";
      section.querySelector(".caption").textContent = section.querySelector(".command").textContent = "";
      body.replaceChildren();
      return;
    }
    section.querySelector(".command").textContent = ["apmt predict", table.model ?? "MODEL", "--procs " + count,
      ...Object.entries(result.params).map(([name, value]) => "--set " + name + "=" + value),
      ...turned.map(made => made.knob.option + " x" + made.value()),
      ...turned.length > 0 && table.profiled ? ["--profiled-on PROFILE"] : [],
      ...table.confidence === 0.8 ? [] : ["--confidence " + 100 * table.confidence]].join(" ");
    const { time, parts, split, laws, kernels: partsOf } = result;
    answer.textContent = "At " + count + (count === 1 ? " process" : " processes") + " expect " + seconds(time.time)
      + " (" + range(time.low, time.high) + ", " + Math.round(100 * table.confidence) + " %)";
    const far = count / table.max_procs;
    section.querySelector(".caption").textContent = [
      Object.entries(result.params).map(([name, value]) => name + " = " + value).join(", "),
      far > 1 ? significant(far, 2) + " times the largest profiled process count" : "",
      table.missing.length > 0 ? "not included: " + table.missing.join(", ") : ""].filter(Boolean).join("; ");
    // While all values are those of the report, the table is hidden, because it would only repeat
    // the report.
    section.querySelector(".table").hidden = count === table.asked_procs && turned.length === 0
      && Object.keys(given).length === 0;
    report = report || evaluator.predict(table.asked_procs, {}, {});
    const kernels = table.laws.map((law, i) => ({ law, estimate: laws[i], before: report.laws?.[i],
      its: partsOf[i], itsBefore: report.kernels?.[i] ?? {} }))
      .filter(item => item.law.name !== undefined)
      .sort((a, b) => b.estimate.time - a.estimate.time).slice(0, kMostKernels);
    const before = part => report.parts?.get(part);
    const takesTime = (estimate, was) => Math.max(estimate.time, was ? was.time : 0) > kLeastShare * time.time;
    const partRows = (part, estimate) => split && part === "comp_s"
      ? [row("computation", split.comp, time.time, "part", report.split?.comp),
        row("memory", split.mem, time.time, "part", report.split?.mem)]
      : [row(table.parts[part], estimate, time.time, "part", before(part))];
    body.replaceChildren(row("total", time, time.time, "whole", report.time),
      ...[...parts].filter(([part, estimate]) => takesTime(estimate, before(part))).flatMap(item => partRows(...item)),
      ...kernels.flatMap(({ law, estimate, before: was, its, itsBefore }) => [
        row(law.name, estimate, time.time, "kernel", was),
        ...kKernelParts.filter(([part]) => its[part] && takesTime(its[part], itsBefore[part]))
          .map(([part, words]) => row(law.name + ": " + words, its[part], time.time, "kernel", itsBefore[part]))]));
  };
  section.hidden = false;
  const entry = make("li", {});
  entry.append(make("a", { href: "#what-if", textContent: "What if" }));
  document.querySelector("header nav ul")?.append(entry);
  if (table.laws.length <= kManyLaws) addEventListener("load", () => setTimeout(update, 0));
})();
)js";
}

}  // namespace apmt
