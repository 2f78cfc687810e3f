#include "reports/html_pieces.h"

namespace apmt {

// The first part of a JavaScript function, which calculates the same as draw_places.cpp and
// time_law_eval.cpp of the fitter. Instead of a model it reads the evaluation table, which contains
// the families of laws, grids, weights and constants. tests/browser compares its results with the
// fitter's. This code does not touch the page.
std::string_view html_evaluator_of_laws() {
  return R"js(
"use strict";
const makeEvaluator = table => {
  const constants = table.constants;
  table.laws = table.laws.map(law => law.like === undefined ? law : { ...table.laws[law.like], ...law });
  const square = x => x * x;
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

  // The stratum of each draw (fitter/times/draw_places.h).
  const normals = constants.normals;
  const count = normals.length;
  const lattice = (i, [step, start]) => (step * i + start) % count;
  const lattices = constants.lattice.map(step => Uint16Array.from(normals, (_, k) => lattice(k, step)));
  const [commonCurve, commonNoise, commonStraying, commonSize, commonCosts, commonChange] = lattices;
  const permutation = seed => {
    const strata = Uint16Array.from(commonCurve);
    let state = seed;
    const next = () => {
      let z = state = state + 0x9e3779b9 | 0;
      z = Math.imul(z ^ z >>> 16, 0x21f0aaad);
      z = Math.imul(z ^ z >>> 15, 0x735a2d97);
      return (z ^ z >>> 15) >>> 0;
    };
    for (let i = count - 1; i > 0; --i) {
      const other = Math.floor(next() / 4294967296 * (i + 1));
      [strata[i], strata[other]] = [strata[other], strata[i]];
    }
    return strata;
  };
  const mixed = (common, own, shared) => {
    if (shared <= 0) return own;
    const score = Float64Array.from(common, (c, k) =>
      Math.sqrt(shared) * normals[c] + Math.sqrt(1 - shared) * normals[own[k]]);
    const order = Uint16Array.from(commonCurve).sort((a, b) => score[a] - score[b] || a - b);
    const strata = new Uint16Array(count);
    order.forEach((k, i) => strata[k] = i);
    return strata;
  };
  const placesOf = law => {
    const shared = table.shared_noise, beyond = constants.shared_beyond_noise * shared;
    const curve = mixed(commonCurve, permutation(law.seed), beyond);
    return { curve, noise: mixed(commonNoise, curve.map(s => lattice(s, constants.lattice[1])), shared),
      straying: mixed(commonStraying, curve.map(s => lattice(s, constants.lattice[2])), beyond),
      change: mixed(commonChange, curve.map(s => lattice(s, constants.lattice[5])), beyond) };
  };

  // Closed forms of counts.
  const processGrid = (procs, dimensions) => {
    let best = [procs, 1, 1];
    if (dimensions === 2) {
      for (let a = 1; a * a <= procs; ++a) if (procs % a === 0) best = [procs / a, a, 1];
      return best;
    }
    let least = Infinity;
    for (let a = 1; a <= Math.floor(procs / a / a); ++a) {
      if (procs % a !== 0) continue;
      const rest = procs / a;
      for (let b = a; b <= Math.floor(rest / b); ++b) {
        if (rest % b !== 0) continue;
        const c = rest / b;
        if (a + b + c >= least) continue;
        least = a + b + c;
        best = [c, b, a];
      }
    }
    return best;
  };
  const gridShape = (shape, procs) => {
    const dimensions = shape.endsWith("2") ? 2 : 3;
    const ideal = Math.pow(procs, 1 / dimensions);
    const whole = Number.isInteger(procs) && procs >= 1 && procs <= 1e9;
    const [x, y, z] = whole ? processGrid(procs, dimensions) : [ideal, ideal, dimensions === 3 ? ideal : 1];
    return {
      sides2: x + y,
      sides3: x + y + z,
      faces3: x * y + y * z + x * z,
      around2: (3 * x - 2) * (3 * y - 2),
      around3: (3 * x - 2) * (3 * y - 2) * (3 * z - 2),
      across3: procs * [x, y, z].filter((side) => side > 1).length,
    }[shape];
  };
  const termValue = ([coefficient, ofProcs, ofLog, ofWork, shape, rate, from, below], procs, work) => {
    if (from !== undefined && (work / procs < from || below !== null && work / procs >= below)) return 0;
    if (rate !== 0) return coefficient * Math.exp(rate * procs);
    let v = coefficient * Math.pow(procs, ofProcs);
    if (ofLog !== 0) v *= Math.pow(Math.log2(procs), ofLog);
    if (ofWork !== 0) v *= Math.pow(work, ofWork);
    return shape ? v * gridShape(shape, procs) : v;
  };
  const formValue = (terms, procs, work) =>
    Math.max(terms.reduce((sum, term) => sum + termValue(term, procs, work), 0), 0);
  const perRank = (feature, procs, work) => {
    const steps = { one: 1, tree: Math.log2(procs), ring: procs - 1, others: procs > 1 ? 1 : 0 }[feature.steps];
    return feature.counts.reduce((sum, form) => sum + formValue(form, procs, work), 0) * steps / procs;
  };

  // The whole time and the computation of a kernel on a machine that is slower by the factors in
  // `slower`: `core` for the work of a core, `access` for an access to memory, `transfer` for the
  // transfer of a byte from memory (fitter/laws/memory_split.h).
  const sharingAt = (sharing, procs) => {
    const above = sharing.findIndex(([at]) => at >= procs);
    if (sharing.length === 0) return 1;
    if (above <= 0) return sharing.at(above)[1];  // beyond the last count, or below the first
    const [[low, from], [high, to]] = sharing.slice(above - 1, above + 1);
    return from + (to - from) * Math.log(procs / low) / Math.log(high / low);
  };
  const timesOf = ({ core, unhidden, transfers, sharing, only_work }, procs, work) => {
    const at = only_work > 0 ? procs * only_work / work : procs;  // the same work per process
    const [c, u, full] = [core, unhidden, transfers].map(forms => formValue(forms[0], at, only_work || work) / at);
    const t = sharingAt(sharing, procs) * full;
    return ([core_s, blocked, streamed, exposed, fits_below], slower) => {
      const computing = slower.core * core_s * c;
      if (work / procs < fits_below) return { computing, whole: computing };
      const waited = slower.access * blocked * u + slower.transfer * exposed * t;
      return { computing, whole: Math.max(computing + waited, slower.transfer * streamed * t) };
    };
  };
  const asOnProfiled = { core: 1, access: 1, transfer: 1 };
  // The value of each draw, given one value for each set of costs of core and memory.
  const ofDraws = ways => Float64Array.from(commonCosts, at => ways[Math.floor(at * ways.length / count)]);
  const lnTime = (times, way) => Math.log(Math.max(times(way, asOnProfiled).whole, 1e-300));
  const inMemory = way => way.slice(0, 4);  // the same costs if data never fit into caches
  // By set of costs: ln of the time relative to that at the law's largest count, as if data never fitted into caches.
  const lnRatios = (law, procs, work) => {
    const times = timesOf(law.memory, procs, work);
    const reference = timesOf(law.memory, law.max_procs, law.reference_work);
    return law.memory.ways.map(way => lnTime(times, inMemory(way)) - lnTime(reference, inMemory(way)));
  };
  // By set of costs: ln of the time relative to the time if data did not fit into caches.
  const lnCached = (law, procs, work) => {
    const times = timesOf(law.memory, procs, work);
    return law.memory.ways.map(way => lnTime(times, way) - lnTime(times, inMemory(way)));
  };

  // How far ln of the time by costs may stray from foreseen accesses; its mean is `mean` (LawFrame::counts_stray).
  const countsStray = (law, mean, procs, work) => {
    const computing = (at, d) => timesOf(law.memory, at, d)([1, 0, 0, 0], asOnProfiled).whole;
    const ratio = computing(procs, work) / computing(law.max_procs, law.reference_work);
    return ratio > 0 ? constants.counts_stray * Math.abs(mean - Math.log(ratio)) : 0;
  };

  // Factors by which costs change: { latency, volume, whole }.
  const asProfiled = { latency: 1, volume: 1, whole: 1 };
  const costOf = (costs, feature) => ({ alpha: costs.latency, beta: costs.volume })[feature.name] ?? 1;
  const sizeRatio = (law, work) => law.work_varies ? 1 : work / law.reference_work;
  // The count per rank; up to the largest profiled process count, its law is corrected by what was measured.
  const countOf = (law, feature, procs, work) => {
    const count = perRank(feature, procs, work) * Math.pow(sizeRatio(law, work), feature.size_exponent);
    const ratios = feature.seen_ratios;
    const above = procs > law.max_procs ? -1 : ratios.findIndex(([at]) => at >= procs);
    if (above < 0) return count;
    if (above === 0) return count * ratios[0][1];
    const [[low, from], [high, to]] = ratios.slice(above - 1, above + 1);
    const share = Math.log(procs / low) / Math.log(high / low);
    return count * Math.pow(from, 1 - share) * Math.pow(to, share);
  };
  const timeByCounts = (law, family, procs, work, costs) => family.features.reduce((sum, feature) =>
    sum + costOf(costs, feature) * feature.cost * countOf(law, feature, procs, work), 0);
  const costRatio = (law, procs, work, costs) => {
    if (costs.latency === 1 && costs.volume === 1) return 1;
    let before = 0, after = 0;
    for (const family of law.families) {
      const time = timeByCounts(law, family, procs, work, asProfiled);
      if (time <= 0) continue;
      before += family.posterior;
      after += family.posterior * timeByCounts(law, family, procs, work, costs) / time;
    }
    return before > 0 ? after / before : 1;
  };

  // Standard deviation of ln T because of what the runs do not show about communication (LawFrame::unseen_sd).
  const unseenSd = (law, procs, work) => {
    const { other_calls, most_other_calls, other_nodes } = constants.unseen;
    const nodes = law.cores_of_only_node > 0 && procs > law.cores_of_only_node ? other_nodes : 0;
    const family = law.families[law.plain_family ?? -1];
    if (!family || !law.ln_calls) return nodes;
    const lnCount = feature => Math.log(feature.counts.reduce((sum, form) => sum + formValue(form, procs, work), 0))
      + (law.work_varies ? 0 : feature.size_exponent * Math.log(work / law.reference_work));
    const lnSize = family.features.reduce((sum, f) => sum + (f.name === "beta" ? lnCount(f) : -lnCount(f)), 0);
    if (!Number.isFinite(lnSize)) return nodes;
    const [smallest, largest] = law.ln_calls;
    const beyond = Math.max(smallest - lnSize, lnSize - largest, 0);
    return Math.hypot(nodes, Math.min(other_calls * beyond / Math.log(4), most_other_calls));
  };

  // Whether bytes cost time in any family; otherwise the time of messages is all latency.
  const hasBytes = law => law.families.some(family => family.features.some(({ name }) => name === "beta"));
  // ln of the factor by which a problem size lies outside the profiled ones (LawFrame::size_distance).
  const sizeDistance = (law, procs, work) => {
    const { series, works } = law;
    if (series.length < 2)
      return Math.max(Math.log(Math.min(...works) / work), Math.log(work / Math.max(...works)), 0);
    const found = series.findIndex(([lnProcs], i) => i > 0 && lnProcs >= Math.log(procs));
    const above = found < 0 ? series.length - 1 : found;
    const [[fromProcs, fromWork], [toProcs, toWork]] = series.slice(above - 1, above + 1);
    const share = (Math.log(procs) - fromProcs) / (toProcs - fromProcs);
    return Math.abs(Math.log(work) - fromWork - share * (toWork - fromWork));
  };

  // The arguments of a law's curves; `extra`: spread for a new problem size, and for what the runs do not show.
  const targetOf = (law, procs, work, costs) => {
    const lProcs = Math.log(procs / law.max_procs);
    const perProcess = law.size_rule === "per process";
    const l = perProcess ? Math.log(law.min_x / (work / procs)) : lProcs;
    let distance = Math.max(lProcs, Math.log(law.min_procs / procs), 0);
    if (perProcess && law.work_varies) distance *= constants.procs_alone;
    if (perProcess) distance = Math.max(distance, l, Math.log(law.min_x / law.max_x) - l);
    const profiled = law.works.some(w => Math.abs(w - work) <= 1e-9 * Math.abs(work));
    const byCosts = law.by_costs ? lnRatios(law, procs, work) : [];
    const mean = byCosts.reduce((sum, ln) => sum + ln, 0) / Math.max(byCosts.length, 1);
    const strays = law.by_costs && law.memory.foreseen && l > 0 ? countsStray(law, mean, procs, work) : 0;
    const counts = law.families.map(family => family.features.map(feature =>
      costOf(costs, feature) * countOf(law, feature, procs, work) / feature.reference));
    const ofNewSize = law.size_rule !== "none" && !law.many_sizes && !profiled ? constants.new_size : 0;
    return { l, lProcs, maxProcs: law.max_procs, distance,
      shift: law.size_rule === "linear" ? law.linear_exponent * Math.log(work / law.reference_work) : 0,
      latency: costs.latency, volume: hasBytes(law) ? costs.volume : costs.latency,
      extra: Math.hypot(ofNewSize, unseenSd(law, procs, work),
        law.linear_exponent_sd * sizeDistance(law, procs, work)),
      counts: [...counts,
        ...law.by_costs ? [[Math.exp(mean)]] : []],
      cached: law.by_costs ? lnCached(law, procs, work) : null,
      // By set of costs: how far ln of the time lies from the mean of all sets, and strays from its law.
      ofWays: law.by_costs ? byCosts.map((ln, i) =>
        ln + strays * constants.way_normals[i % constants.way_normals.length] - mean) : null };
  };
  const ready = new Map();
  const readyOf = law => {
    if (!ready.has(law)) ready.set(law, law.kind === "recipe" ? { nodes: condition(law), places: placesOf(law) }
      : formsByStratum(alternatives(law, constants.far_ahead * law.max_procs, law.reference_work, asProfiled)));
    return ready.get(law);
  };
  const likely = x => Math.exp(clamp(x, -constants.farthest_ln, constants.farthest_ln));
  // Seconds by each closed form that goes through every point, the likeliest form first.
  const alternatives = (law, procs, work, costs) => {
    const ratio = sizeRatio(law, work);
    const times = law.families.map(family => timeByCounts(law, family, procs, work, costs));
    let factor = costRatio(law, procs, work, costs);
    if (ratio !== 1) {
      if (law.size_rule === "per process") procs /= ratio;
      if (law.size_rule === "linear") factor *= Math.pow(ratio, law.linear_exponent);
      work = law.reference_work;
    }
    for (const form of law.exact) times.push(factor * formValue(form, procs, work));
    return times;
  };
  const formsByStratum = ahead => {
    const others = ahead.map((_, i) => i).slice(1);
    const below = others.filter(i => ahead[i] < ahead[0]).sort((a, b) => ahead[a] - ahead[b]);
    const above = others.filter(i => !(ahead[i] < ahead[0])).sort((a, b) => ahead[a] - ahead[b]).reverse();
    const quarter = count / 4, outermost = quarter / 2;
    const formAt = (list, i) => list.length === 1 || i < outermost ? list[0]
      : list[1 + Math.floor((i - outermost) * (list.length - 1) / (quarter - outermost))];
    const forms = new Uint16Array(count);
    for (let i = 0; i < quarter; ++i) {
      if (below.length > 0) forms[i] = formAt(below, i);
      if (above.length > 0) forms[count - 1 - i] = formAt(above, i);
    }
    return forms;
  };
  const isNothing = (law, procs) => law.kind === "zero" || law.none_alone && procs === 1;
  // Seconds in every draw.
  const drawsOf = (law, procs, work, costs) => {
    if (isNothing(law, procs)) return new Float64Array(count);
    if (law.kind === "recipe") {
      const { nodes, places } = readyOf(law);
      return lnDraws(nodes, places, targetOf(law, procs, work, costs)).map(ln => costs.whole * likely(ln));
    }
    const forms = readyOf(law), times = alternatives(law, procs, work, costs);
    return Float64Array.from(commonCurve, stratum => costs.whole * times[forms[stratum]]
      * (1 + (stratum < count / 4 ? -constants.rounding : stratum < count - count / 4 ? 0 : constants.rounding)));
  };
  // A cheap value near the median.
  const centreOf = (law, procs, work) => {
    if (isNothing(law, procs)) return 0;
    if (law.kind !== "recipe") return alternatives(law, procs, work, asProfiled)[0];
    const { nodes } = readyOf(law);
    const target = targetOf(law, procs, work, asProfiled);
    const means = nodeMeans(nodes, target, nodes.noises.map(n => wanderedTo(nodes, target, n)));
    return likely(nodes.nodeOf.reduce((sum, node) => sum + means[node], 0) / count);
  };

)js";
}

}  // namespace apmt
