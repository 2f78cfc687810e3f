#include "reports/html_pieces.h"

namespace apmt {

// The third part of the JavaScript function that begins in html_evaluator_of_laws(). It calculates
// the same as model_draws.cpp, draw_estimates.cpp, scenario_sizes.cpp and what_if_effect.cpp of the
// fitter.
std::string_view html_evaluator_of_models() {
  return R"js(  // The estimate of a part is the median of its draws. The estimate of a law is this median, multiplied by
  // the law's mean share of the part in the draws near the median. The estimate of the whole is the sum of the
  // parts' medians.
  const quantile = (sorted, q) => {
    const at = clamp(q * count - 0.5, 0, count - 1), below = Math.floor(at);
    return at === below ? sorted[below] : sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
  };
  const interval = (draws, time) => {
    const sorted = Float64Array.from(draws).sort(), half = 0.5 * table.confidence;
    return { time, low: Math.min(time, quantile(sorted, 0.5 - half)), high: Math.max(time, quantile(sorted, 0.5 + half)) };
  };
  const estimates = part => {
    const middle = quantile(Float64Array.from(part).sort(), 0.5);
    const order = Uint16Array.from(commonCurve).sort((a, b) => part[a] - part[b] || a - b);
    const weights = new Float64Array(count);
    let sum = 0;
    for (let rank = count / 4; rank < count - count / 4; ++rank) {
      const k = order[rank];
      if (!(part[k] > 0)) continue;
      const weight = 1 + Math.cos(Math.PI * (rank + 0.5 - 0.5 * count) / (0.25 * count));
      sum += weight;
      weights[k] = weight * (middle / part[k]);
    }
    return { part: interval(part, middle),
      term: draws => interval(draws, sum > 0 ? draws.reduce((all, t, k) => all + weights[k] / sum * t, 0) : 0) };
  };

  // Problem sizes at a process count, and the work that they stand for.
  const paramsAt = (procs, given) => {
    const params = { ...table.sizes.base };
    for (const [name, exponent] of Object.entries(table.sizes.exponents)) {
      let value = table.sizes.base[name] * Math.pow(procs / table.sizes.procs, exponent);
      if (Math.abs(value - Math.round(value)) < 1e-6 * value) value = Math.round(value);
      params[name] = value;
    }
    return { ...params, ...table.sizes.given, ...given };
  };
  const workOf = params => {
    if (table.sizes.work.length === 0) return 1;
    const stack = [];
    for (const token of table.sizes.work) {
      if (token === "negative") { stack.push(-stack.pop()); continue; }
      if (token[0] === " ") { stack.push(params[token.slice(1)]); continue; }
      const operator = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b,
        "^": Math.pow }[token];
      if (!operator) { stack.push(Number(token)); continue; }
      const b = stack.pop();
      stack.push(operator(stack.pop(), b));
    }
    return stack[0];
  };

  // The next functions calculate the effect of a what-if on each law, given factors by which
  // latency, bandwidth, frequency and so on change. If the effect is not known, `refused` is a text
  // that says why.
  const networkAt = procs => {
    if (!table.profiled) return null;
    const { cores_per_node, in_node, between_nodes } = table.profiled;
    return cores_per_node > 0 && procs <= cores_per_node ? in_node : between_nodes;
  };
  // For each draw: the time of a kernel on a machine that is slower by the factors in `slower`, divided by its time
  // on the profiled machine.
  const slowdowns = (split, slower, procs, work) => {
    if (split === null) return new Float64Array(count).fill(slower.core);
    const times = timesOf(split, procs, work);
    return ofDraws(split.ways.map(way => {
      const before = times(way, asOnProfiled).whole;
      return before > 0 ? times(way, slower).whole / before : 1;
    }));
  };
  // The part of a kernel's time in which the core waits for memory, in each draw.
  const blockedOf = (split, draws, slower, procs, work) => {
    const times = timesOf(split, procs, work);
    const shares = ofDraws(split.ways.map(way => {
      const { computing, whole } = times(way, slower);
      return whole > 0 ? (whole - computing) / whole : 0;
    }));
    return draws.map((t, k) => t * shares[k]);
  };
  const likeliest = families => families.reduce((best, family) => family.posterior > best.posterior ? family : best);
  const shareOfWaiting = (law, procs, work) => (law.families ?? []).reduce((sum, { posterior, features }) => {
    const seconds = features.map(f => f.cost * countOf(law, f, procs, work));
    const all = seconds.reduce((a, s) => a + s, 0);
    return all > 0 ? sum + posterior * seconds.reduce((a, s, i) => features[i].name === "excess" ? a + s : a, 0) / all : sum;
  }, 0);
  const latencyShare = (law, procs, work, network) => {
    const cost = [0, 0];
    for (const feature of likeliest(law.families).features) {
      const of = feature.name === "alpha" ? 0 : 1;
      cost[of] += countOf(law, feature, procs, work) * network[of];
    }
    return cost[0] + cost[1] > 0 ? cost[0] / (cost[0] + cost[1]) : 1;
  };
  const whatIf = (turned, procs, work) => {
    const factor = name => turned[name] ?? 1;
    const latency = factor("latency"), volume = 1 / factor("bandwidth");
    const slower = { core: 1 / factor("frequency"), access: factor("memory latency"),
      transfer: 1 / factor("memory bandwidth") };
    const isAsProfiled = Object.values(slower).every(times => times === 1);
    const network = networkAt(procs);
    const isSplit = ({ split }) => split.by === "counts" || split.by === "profile" && network;
    let refused;
    if (latency !== 1 || volume !== 1) {
      const total = table.laws.reduce((sum, law) => sum + centreOf(law, procs, work), 0);
      const notSplit = table.laws.filter(law => law.split && !isSplit(law));
      const timeOf = part => notSplit.filter(law => law.part === part)
        .reduce((sum, law) => sum + centreOf(law, procs, work), 0);
      const lost = notSplit.find(law => total > 0 && timeOf(law.part) / total >= constants.negligible_share);
      if (lost) refused = lost.split.why_not;
    }
    const slowdownsOf = law => slowdowns(law.memory, slower, procs, work);
    const waiting = new Float64Array(count).fill(1);  // waiting for slower processes changes as all computation does
    if (!isAsProfiled) {
      const kernels = table.laws.filter(law => "memory" in law);
      const seconds = kernels.map(law => centreOf(law, procs, work));
      const before = seconds.reduce((sum, s) => sum + s, 0);
      const after = new Float64Array(count);
      kernels.forEach((law, i) => slowdownsOf(law).forEach((times, k) => after[k] += seconds[i] * times));
      if (before > 0) after.forEach((s, k) => waiting[k] = s / before);
    }
    const slowed = (law, draws) => {
      const isEnd = law.part === "end_s";
      const waits = law.part === constants.waiting || isEnd;
      if (isAsProfiled || !waits && !("memory" in law)) return draws;
      const factors = waits ? waiting : slowdownsOf(law);
      const share = isEnd ? shareOfWaiting(law, procs, work) : 1;
      return draws.map((t, k) => t * (1 + share * (factors[k] - 1)));
    };
    return { refused, slower, slowed, costs: law => {
      if (!law.split || !isSplit(law) || latency === 1 && volume === 1) return asProfiled;
      if (law.split.by === "counts") return { latency, volume, whole: 1 };
      const share = latencyShare(law, procs, work, network);
      return { ...asProfiled, whole: share * latency + (1 - share) * volume };
    } };
  };

  // What a kernel's own calls transfer, and how long they wait for others. `shares` has the kernel's share in each
  // law of a part, and `drawn` the draws of these laws.
  const callsOf = (shares, drawn) => {
    const its = part => {
      const sum = new Float64Array(count);
      (drawn.get(part) ?? []).forEach((draws, i) => draws.forEach((t, k) => sum[k] += shares[part][i] * t));
      return sum;
    };
    const together = parts => {
      const sum = new Float64Array(count);
      let time = 0;
      for (const draws of parts.map(its)) {
        time += quantile(Float64Array.from(draws).sort(), 0.5);
        draws.forEach((t, k) => sum[k] += t);
      }
      return interval(sum, time);
    };
    return { transfer: together(Object.keys(shares).filter(part => part !== constants.waiting)),
      wait: together([constants.waiting]) };
  };

  return {
    paramsAt,
    // Returns estimates of the whole, of its parts, of each law, of computation and memory
    // separately (`split`), and of the parts of kernels (comp, mem, transfer, wait) that are known;
    // undefined if the work at these sizes is not a positive number. `turned` has the factors of
    // the what-if by name ("latency", "frequency", ...); `refused` says why their effect is not
    // known.
    predict: (procs, given = {}, turned = {}) => {
      const params = paramsAt(procs, given);
      const work = workOf(params);
      if (!(work > 0 && Number.isFinite(work))) return undefined;
      const { refused, costs, slower, slowed } = whatIf(turned, procs, work);
      if (refused) return { params, refused };
      const whole = new Float64Array(count), sums = new Map(), drawn = new Map();
      const add = (sum, draws) => draws.forEach((t, k) => sum[k] += t);
      const laws = table.laws.map(law => {
        if (!sums.has(law.part)) sums.set(law.part, new Float64Array(count));
        const draws = slowed(law, drawsOf(law, procs, work, costs(law)));
        add(sums.get(law.part), draws);
        drawn.set(law.part, [...(drawn.get(law.part) ?? []), draws]);
        return draws;
      });
      for (const sum of sums.values()) add(whole, sum);
      const said = new Map([...sums].map(([part, sum]) => [part, estimates(sum)]));
      const parts = new Map([...said].map(([part, its]) => [part, its.part]));
      const time = [...parts.values()].reduce((all, its) => all + its.time, 0);
      const terms = laws.map((draws, i) => said.get(table.laws[i].part).term(draws));
      const blocked = new Float64Array(count), minus = (a, b) => a.map((t, k) => t - b[k]);
      let known = 0, all = 0;
      const kernels = table.laws.map((law, i) => {
        if (!("memory" in law)) return {};
        const its = law.calls === null ? {} : callsOf(law.calls, drawn);
        all += terms[i].time;
        if (law.memory === null) return its;
        known += terms[i].time;
        const mem = blockedOf(law.memory, laws[i], slower, procs, work), { term } = said.get(law.part);
        add(blocked, mem);
        return { ...its, mem: term(mem), comp: term(minus(laws[i], mem)) };
      });
      let split;
      if (known > 0 && known >= constants.enough_split * all) {
        const { term } = said.get("comp_s");
        split = { mem: term(blocked), comp: term(minus(sums.get("comp_s"), blocked)) };
      }
      return { params, time: interval(whole, time), parts, split, laws: terms, kernels };
    }
  };
};
)js";
}

}  // namespace apmt
