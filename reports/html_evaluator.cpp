#include "reports/html_pieces.h"

namespace apmt {

// What fitter/recipe.cpp, log_mixture.cpp, time_law_eval.cpp, what_if_effect.cpp and
// interval_sum.cpp do with a model, done with the table that the evaluator exports: families,
// grids, weights and constants are its own. tests/browser holds both equal. Nothing here touches
// the page.
std::string_view html_evaluator() {
  return R"js(
"use strict";
const makeEvaluator = table => {
  const constants = table.constants;
  table.laws = table.laws.map(law => law.like === undefined ? law : { ...table.laws[law.like], ...law });
  const square = x => x * x;
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

  // The normal distribution: erfc by the series of erf that has no cancellation, or by continued fraction.
  const erfc = x => {
    if (x < 0) return 2 - erfc(-x);
    const scale = Math.exp(-x * x) / Math.sqrt(Math.PI);
    if (x < 3) {
      let term = 2 * x;
      let sum = 0;
      for (let n = 1; sum + term !== sum; ++n) {
        sum += term;
        term *= 2 * x * x / (2 * n + 1);
      }
      return 1 - scale * sum;
    }
    let below = x;
    for (let n = 80; n > 0; --n) below = x + n / 2 / below;
    return scale / below;
  };
  const normalCdf = z => 0.5 * erfc(-z * Math.SQRT1_2);
  const lnQuantile = (parts, q) => {
    let low = Infinity, high = -Infinity, x = 0;
    for (const p of parts) {
      low = Math.min(low, p.mean - 9 * p.sd);
      high = Math.max(high, p.mean + 9 * p.sd);
      x += p.weight * p.mean;
    }
    for (let i = 0; i < 200 && high - low > 1e-11; ++i) {
      let cdf = 0, density = 0;
      for (const p of parts) {
        const z = (x - p.mean) / p.sd;
        if (z > 8) {
          cdf += p.weight;
        } else if (z > -8) {
          cdf += p.weight * normalCdf(z);
          density += p.weight * Math.exp(-0.5 * z * z) / (p.sd * 2.5066282746310002);
        }
      }
      if (cdf < q) low = x; else high = x;
      const step = density > 0 ? (q - cdf) / density : Infinity;
      const next = x + step;
      if (Math.abs(step) < 1e-11) break;
      x = next > low && next < high ? next : 0.5 * (low + high);
    }
    return x;
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
    const steps = { one: 1, tree: Math.log2(procs), ring: procs - 1 }[feature.steps];
    return feature.counts.reduce((sum, form) => sum + formValue(form, procs, work), 0) * steps / procs;
  };

  // Curves: [family, index, a, b, c], evaluated at { l, lProcs, maxProcs, shift, counts }.
  const kPower = 0, kCurved = 1, kTwoTerms = 2, kCounts = 3, kPlain = 4;
  const carriesItsUncertainty = family => family >= kCounts;
  const lnPower = (slope, l) => (l > 0 ? Math.max(slope, constants.steepest) : slope) * l;
  const lnCurved = (slope, curvature, l) => {
    const steepest = constants.steepest;
    const plain = at => (slope + 0.5 * curvature * at) * at;
    const end = slope + curvature * l;
    if (l <= 0 || Math.min(slope, end) >= steepest) return plain(l);
    if (Math.max(slope, end) <= steepest) return steepest * l;
    const turn = (steepest - slope) / curvature;
    return slope < steepest ? steepest * turn + plain(l) - plain(turn) : plain(turn) + steepest * (l - turn);
  };
  const lnBeside = (exponent, at) => exponent * (exponent < 0 ? at.l : at.lProcs);
  const plainValue = ([, exponent, second, secondExponent], f, at) => {
    if (!second) return exponent * at.l;
    if (second === "others")
      return exponent * at.l + Math.log(Math.max(1 - f * Math.exp(-at.lProcs) / at.maxProcs, 1e-9));
    let value = 1;
    if (second === "log" && at.maxProcs > 1) value = Math.max(1 + at.lProcs / Math.log(at.maxProcs), 0);
    if (second === "power") value = Math.exp(lnBeside(secondExponent, at));
    return Math.log((1 - f) * Math.exp(exponent * at.l) + f * value);
  };
  const curveValue = (plain, [family, index, a, b, c], at) => {
    if (family === kPower) return at.shift + lnPower(a, at.l);
    if (family === kCurved) return at.shift + lnCurved(a, b, at.l);
    if (family === kTwoTerms)
      return at.shift + Math.log((1 - a) * Math.exp(lnPower(-b, at.l)) + a * Math.exp(lnBeside(c, at)));
    if (family === kPlain) return at.shift + plainValue(plain[index], a, at);
    const relative = at.counts[index];
    const sum = relative.length > 1 ? (1 - a) * relative[0] + a * relative[1] : relative[0];
    return Math.log(Math.max(sum, 1e-300)) + b * at.lProcs;
  };
  const forEachCurve = (law, grids, draw) => {
    const beside = law.families.length > 0 ? 1 - constants.count_weight : 1;
    const plain = beside * law.plain_weight;
    const curves = beside - plain;
    grids.plain.forEach(([weight, , second], i) => {
      const nodes = second === "others" ? grids.own_part : grids.second_share;
      for (const [f, w] of second ? nodes : [[0, 1]])
        draw(plain * weight * w, [kPlain, i, f, 0, 0]);
    });
    if (grids.weight_p > 0)
      for (const [s, w] of grids.slope_p) draw(curves * grids.weight_p * w, [kPower, 0, s, 0, 0]);
    if (grids.weight_q > 0)
      for (const [s, w] of grids.slope_q)
        for (const [k, v] of grids.curvature) draw(curves * grids.weight_q * w * v, [kCurved, 0, s, k, 0]);
    if (grids.weight_t > 0)
      for (const [f, w] of grids.share)
        for (const [a, v] of grids.fall)
          for (const [b, u] of grids.rise)
            draw(curves * grids.weight_t * w * v * u, [kTwoTerms, 0, f, a, b]);
    law.families.forEach((family, i) => {
      if (!(family.prior > 0)) return;
      const two = family.features.length > 1;
      for (const [p, w] of two ? grids.count_share : [[0, 1]])
        for (const [d, v] of grids.drift)
          draw(constants.count_weight * family.prior * w * v, [kCounts, i, p, d, 0]);
    });
  };

  // Covariance of what two places have wandered: an integrated random walk from 0 each way.
  const wandered = (wander, l1, l2) => {
    if (l1 * l2 <= 0) return 0;
    const near = Math.min(Math.abs(l1), Math.abs(l2)), far = Math.max(Math.abs(l1), Math.abs(l2));
    return square(wander * near) * (3 * far - near) / 6;
  };
  // Inverse of a positive definite matrix, in place; returns the logarithm of its determinant.
  const invert = m => {
    let lnDeterminant = 0;
    m.forEach((row, k) => {
      const pivot = row[k];
      lnDeterminant += Math.log(pivot);
      row[k] = 1;
      for (let j = 0; j < m.length; ++j) row[j] /= pivot;
      m.forEach((other, i) => {
        if (i === k) return;
        const factor = other[k];
        other[k] = 0;
        for (let j = 0; j < m.length; ++j) other[j] -= factor * row[j];
      });
    });
    return lnDeterminant;
  };

  // The weight of every curve and noise given the points; the level is integrated out.
  const condition = law => {
    const grids = table.priors[law.priors];
    const points = law.places.map(([l, lProcs, shift], i) => ({ l, lProcs, shift, y: law.values[i][0], extra: law.values[i][1],
      maxProcs: law.max_procs, counts: law.families.map(f => f.at_points.map(values => values[i])) }));
    const all = constants.noise_nodes.reduce((sum, z) => sum + Math.exp(-0.5 * z * z), 0);
    const noises = [];
    const addNoises = (weight, accidental) => constants.noise_nodes.forEach(z => {
      const variance = Math.exp(2 * (law.noise[0] + law.noise[1] * z));
      const variances = points.map((p, i) =>
        variance + square(p.extra) + (i === accidental ? square(constants.accident_sd) : 0));
      const inverse = grids.wander > 0 ? points.map((p, i) =>
        points.map((q, j) => wandered(grids.wander, p.l, q.l) + (i === j ? variances[i] : 0))) : null;
      const lnDeterminant = inverse ? invert(inverse) : variances.reduce((a, v) => a + Math.log(v), 0);
      const precision = variances.map((v, i) => inverse ? inverse[i][i] : 1 / v);
      const pull = inverse ? inverse.map(row => row.reduce((a, b) => a + b, 0)) : precision;
      const sum = pull.reduce((a, b) => a + b, 0);
      const lnPrior = Math.log(weight) - 0.5 * z * z - Math.log(all) - 0.5 * Math.log(sum) - 0.5 * lnDeterminant;
      noises.push({ variance, precision, inverse, pull, sum, lnPrior });
    });
    const [fewest, most] = constants.accident_points;
    const accident = points.length < fewest || points.length > most ? 0 : grids.accident;
    addNoises(1 - accident, -1);
    if (accident > 0) points.forEach((p, i) => addNoises(accident / points.length, i));
    const curves = [], curve = [], noise = [], level = [], weight = [];
    let largest = -Infinity;
    const distance = new Float64Array(points.length), atPoints = [];
    forEachCurve(law, grids, (prior, drawn) => {
      for (let i = 0; i < points.length; ++i) distance[i] = points[i].y - curveValue(grids.plain, drawn, points[i]);
      noises.forEach((n, s) => {
        let mean = 0;
        for (let i = 0; i < points.length; ++i) mean += n.pull[i] * distance[i];
        mean /= n.sum;
        let chi2 = 0;
        for (let i = 0; i < points.length; ++i) chi2 += n.precision[i] * square(distance[i] - mean);
        for (let i = 0; n.inverse && i < points.length; ++i)
          for (let j = 0; j < i; ++j) chi2 += 2 * n.inverse[i][j] * (distance[i] - mean) * (distance[j] - mean);
        const ln = Math.log(prior) + n.lnPrior - 0.5 * chi2;
        largest = Math.max(largest, ln);
        curve.push(curves.length);
        noise.push(s);
        level.push(mean);
        weight.push(ln);
      });
      curves.push(drawn);
      if (grids.wander > 0) atPoints.push(points.map((p, i) => p.y - distance[i]));
    });
    // The lightest are dropped, whole orders of magnitude (base 2) of them.
    const byMagnitude = new Float64Array(128);
    const magnitude = new Uint8Array(weight.length);
    let sum = 0;
    weight.forEach((ln, i) => {
      const w = weight[i] = Math.exp(ln - largest);
      let m = w > 0 ? Math.min(Math.max(-Math.floor(Math.log2(w)), 0), 127) : 127;
      if (m < 127 && w < Math.pow(2, -m)) ++m;  // where the logarithm was rounded
      magnitude[i] = m;
      byMagnitude[m] += w;
      sum += w;
    });
    let keep = 127;
    for (let dropped = 0; keep > 0; --keep) if ((dropped += byMagnitude[keep]) > constants.negligible * sum) break;
    const kept = [];
    for (let i = 0; i < weight.length; ++i) if (magnitude[i] <= keep) kept.push(i);
    const total = kept.reduce((a, i) => a + weight[i], 0);
    const draws = { plain: grids.plain, widening: grids.widening, wander: grids.wander, points, atPoints,
      curves, noises, curve: new Int32Array(kept.length),
      noise: new Uint8Array(kept.length), level: new Float64Array(kept.length),
      weight: new Float64Array(kept.length), noiseVariance: 0 };
    kept.forEach((i, n) => {
      draws.curve[n] = curve[i];
      draws.noise[n] = noise[i];
      draws.level[n] = level[i];
      draws.weight[n] = weight[i] / total;
      draws.noiseVariance += draws.weight[n] * (noises[noise[i]].variance + 1 / noises[noise[i]].sum);
    });
    return draws;
  };

  // Draws of one standard deviation, merged in cells.
  const addCells = (parts, draws, members, means, sd, lowest, highest) => {
    const range = highest - lowest;
    const cells = Math.min(range / sd * constants.cells_per_sd, constants.most_cells);
    const width = cells >= 1 ? range / cells : Math.max(range, 1e-300);
    const sums = new Map();
    for (const i of members) {
      const at = Math.floor((means[i] - lowest) / width);
      const d = means[i] - lowest - width * at;
      let cell = sums.get(at);
      if (!cell) sums.set(at, cell = [0, 0, 0]);
      const w = draws.weight[i];
      cell[0] += w;
      cell[1] += w * d;
      cell[2] += w * d * d;
    }
    for (const [at, [weight, first, second]] of sums) {
      if (weight <= 0) continue;
      const d = first / weight;
      parts.push({ weight, mean: lowest + width * at + d, sd: Math.sqrt(sd * sd + Math.max(second / weight - d * d, 0)) });
    }
  };
  // What a target has wandered off the curves: how far it follows each point's distance from the
  // curve (ahead of all: no point's), and the variance that is left.
  const wanderedTo = (draws, target, n) => {
    const k = l => wandered(draws.wander, target.l, l);
    const ahead = { follows: null, variance: 1 / n.sum + k(target.l) };
    if (draws.wander === 0 || target.l >= 0) return ahead;
    const shared = draws.points.map(p => k(p.l));
    const follows = n.inverse.map(row => row.reduce((sum, q, i) => sum + q * shared[i], 0));
    const all = follows.reduce((a, b) => a + b, 0);
    return { follows, variance: k(target.l) - follows.reduce((sum, f, i) => sum + f * shared[i], 0)
      + square(1 - all) / n.sum };
  };
  const mixture = (draws, target) => {
    const count = draws.weight.length;
    const means = new Float64Array(count);
    const noises = draws.noises.length;
    const members = Array.from({ length: 2 * noises }, () => []);
    const wander = draws.noises.map(n => wanderedTo(draws, target, n));
    let last = -1, g = 0, offset = 0;
    for (let i = 0; i < count; ++i) {
      if (draws.curve[i] !== last) {
        const curve = draws.curves[last = draws.curve[i]];
        g = curveValue(draws.plain, curve, target);
        offset = carriesItsUncertainty(curve[0]) ? noises : 0;
      }
      means[i] = g + draws.level[i];
      const { follows } = wander[draws.noise[i]];
      if (follows) follows.forEach((f, at) =>
        means[i] += f * (draws.points[at].y - draws.atPoints[last][at] - draws.level[i]));
      members[draws.noise[i] + offset].push(i);
    }
    const parts = [];
    members.forEach((list, grid) => {
      if (list.length === 0) return;
      const n = draws.noises[grid % noises];
      const widening = grid < noises ? draws.widening : constants.plain_widening;
      const sd = Math.sqrt(n.variance + wander[grid % noises].variance + square(widening * target.distance)
        + square(target.extra));
      let lowest = Infinity, highest = -Infinity;
      for (const i of list) {
        lowest = Math.min(lowest, means[i]);
        highest = Math.max(highest, means[i]);
      }
      addCells(parts, draws, list, means, sd, lowest, highest);
    });
    const total = parts.reduce((sum, p) => sum + p.weight, 0);
    for (const p of parts) p.weight /= total;
    return parts;
  };

  // How much dearer units of counts become: { latency, volume, whole }.
  const asProfiled = { latency: 1, volume: 1, whole: 1 };
  const costOf = (costs, feature) => ({ alpha: costs.latency, beta: costs.volume })[feature.name] ?? 1;
  const sizeRatio = (law, work) => law.work_varies ? 1 : work / law.reference_work;
  const costTimesCounts = (family, procs, work, ratio, costs) => family.features.reduce((sum, feature) =>
    sum + costOf(costs, feature) * feature.cost * perRank(feature, procs, work)
      * Math.pow(ratio, feature.size_exponent), 0);
  const costRatio = (law, procs, work, costs) => {
    if (costs.latency === 1 && costs.volume === 1) return 1;
    let before = 0, after = 0;
    for (const family of law.families) {
      const time = costTimesCounts(family, procs, work, sizeRatio(law, work), asProfiled);
      if (time <= 0) continue;
      before += family.posterior;
      after += family.posterior * costTimesCounts(family, procs, work, sizeRatio(law, work), costs) / time;
    }
    return before > 0 ? after / before : 1;
  };

  // One law at a process count and a work: quantiles, and what a new problem size adds to all alike.
  const targetOf = (law, procs, work, costs) => {
    const lProcs = Math.log(procs / law.max_procs);
    const perProcess = law.size_rule === "per process";
    const l = perProcess ? Math.log(law.min_x / (work / procs)) : lProcs;
    let distance = Math.max(lProcs, Math.log(law.min_procs / procs), 0);
    if (perProcess && law.work_varies) distance *= constants.procs_alone;
    if (perProcess) distance = Math.max(distance, l, Math.log(law.min_x / law.max_x) - l);
    const profiled = law.works.some(w => Math.abs(w - work) <= 1e-9 * Math.abs(work));
    return { l, lProcs, maxProcs: law.max_procs, distance,
      shift: (law.size_rule === "linear" ? law.linear_exponent * Math.log(work / law.reference_work) : 0)
        + Math.log(costRatio(law, procs, work, costs)),
      extra: law.size_rule !== "none" && !law.many_sizes && !profiled ? constants.new_size : 0,
      counts: law.families.map(family => family.features.map(feature =>
        costOf(costs, feature) * perRank(feature, procs, work) / feature.reference
          * (law.work_varies ? 1 : Math.pow(work / law.reference_work, feature.size_exponent)))) };
  };
  const ready = new Map();
  const drawsOf = law => {
    if (!ready.has(law)) ready.set(law, condition(law));
    return ready.get(law);
  };
  const likely = x => Math.exp(clamp(x, -constants.farthest_ln, constants.farthest_ln));
  const timeOf = (law, procs, work, costs = asProfiled) => {
    if (law.kind === "zero" || law.none_alone && procs === 1) return { quantile: () => 0, newSize: Infinity, noise: 0 };
    if (law.kind === "recipe") {
      const draws = drawsOf(law);
      const target = targetOf(law, procs, work, costs);
      const parts = mixture(draws, target);
      return {
        quantile: q => costs.whole * likely(lnQuantile(parts, q)),
        newSize: target.extra,
        noise: Math.sqrt(draws.noiseVariance)
      };
    }
    const ratio = sizeRatio(law, work);
    const times = law.families.map(family => costTimesCounts(family, procs, work, ratio, costs));
    let factor = costRatio(law, procs, work, costs);
    if (ratio !== 1) {
      if (law.size_rule === "per process") procs /= ratio;
      if (law.size_rule === "linear") factor *= Math.pow(ratio, law.linear_exponent);
      work = law.reference_work;
    }
    for (const form of law.exact) times.push(factor * formValue(form, procs, work));
    const low = Math.min(...times) * (1 - constants.rounding);
    const high = Math.max(...times) * (1 + constants.rounding);
    return { quantile: q => costs.whole * (q < 0.5 ? low : q > 0.5 ? high : times[0]), newSize: Infinity, noise: 0 };
  };
  // Near the median, and cheap.
  const centreOf = (law, procs, work) => {
    if (law.kind !== "recipe" || law.none_alone && procs === 1) return timeOf(law, procs, work).quantile(0.5);
    const draws = drawsOf(law);
    const target = targetOf(law, procs, work, asProfiled);
    let mean = 0, last = -1, g = 0;
    for (let i = 0; i < draws.weight.length; ++i) {
      if (draws.curve[i] !== last) g = curveValue(draws.plain, draws.curves[last = draws.curve[i]], target);
      mean += draws.weight[i] * (g + draws.level[i]);
    }
    return likely(mean);
  };

  // Adding times: what they share adds up, the rest in quadrature.
  const intervalSum = () => {
    const half = 0.5 * table.confidence;
    const z = lnQuantile([{ weight: 1, mean: 0, sd: 1 }], 0.5 + half);
    let middle = 0;
    const below = { shared: 0, own: 0 }, above = { shared: 0, own: 0 };
    const deviate = (side, whole, newSize, noise) => {
      const besideSize = whole * whole - square(Math.min(newSize, whole));
      const ofNoise = Math.min(noise * noise, besideSize);
      const own = besideSize - table.shared_noise * (ofNoise + constants.shared_beyond_noise * (besideSize - ofNoise));
      side.shared += Math.sqrt(whole * whole - own);
      side.own += own;
    };
    const wide = side => Math.sqrt(side.shared * side.shared + side.own);
    return {
      add: (estimate, { newSize, noise }) => {
        if (estimate.time <= 0) return;
        const [size, scatter] = [newSize, noise].map(sd => Math.min(z * sd, 700));
        const { time, low, high } = estimate;
        middle += time;
        deviate(below, time - low, time * -Math.expm1(-size), time * -Math.expm1(-scatter));
        deviate(above, high - time, time * Math.expm1(size), time * Math.expm1(scatter));
      },
      estimate: time => {
        const middle = time.quantile(0.5);
        return { time: middle, low: Math.min(middle, time.quantile(0.5 - half)),
          high: Math.max(middle, time.quantile(0.5 + half)) };
      },
      total: () => ({ time: middle, low: Math.max(middle - wide(below), 0), high: middle + wide(above) })
    };
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

  // Knobs turned by factors, and what that does to a law; a text where it cannot be told.
  const networkAt = procs => {
    if (!table.profiled) return null;
    const { cores_per_node, in_node, between_nodes } = table.profiled;
    return cores_per_node > 0 && procs <= cores_per_node ? in_node : between_nodes;
  };
  // A kernel with core and memory so many times slower, over the kernel as it is.
  const slowdown = ({ core, unhidden, transfers, ways }, coreFactor, memoryFactor, procs, work) => {
    const counts = [core, unhidden, transfers].map(forms => formValue(forms[0], procs, work));
    const time = (way, c, m) => Math.max(c * way[0] * counts[0] + m * way[1] * counts[1], m * way[2] * counts[2]);
    return ways.reduce((sum, way) => {
      const before = time(way, 1, 1);
      return sum + (before > 0 ? time(way, coreFactor, memoryFactor) / before : 1);
    }, 0) / ways.length;
  };
  const likeliest = families => families.reduce((best, family) => family.posterior > best.posterior ? family : best);
  const latencyShare = (law, procs, work, network) => {
    const cost = [0, 0];
    for (const feature of likeliest(law.families).features) {
      const of = feature.name === "alpha" ? 0 : 1;
      cost[of] += perRank(feature, procs, work) * network[of];
    }
    return cost[0] + cost[1] > 0 ? cost[0] / (cost[0] + cost[1]) : 1;
  };
  const whatIf = (turned, procs, work) => {
    const factor = name => turned[name] ?? 1;
    const latency = factor("latency"), volume = 1 / factor("bandwidth");
    const core = 1 / factor("frequency"), memory = factor("memory latency");
    const network = networkAt(procs);
    const isSplit = ({ split }) => split.by === "counts" || split.by === "profile" && network;
    let refused;
    if (latency !== 1 || volume !== 1) {
      const total = table.laws.reduce((sum, law) => sum + centreOf(law, procs, work), 0);
      const lost = table.laws.find(law => law.split && !isSplit(law)
        && total > 0 && centreOf(law, procs, work) / total >= constants.negligible_share);
      if (lost) refused = lost.split.why_not;
    }
    const turnedKernel = law => core === 1 && memory === 1 ? 1
      : law.memory === null ? core : slowdown(law.memory, core, memory, procs, work);
    let waiting = 1;  // for processes that compute longer: as computation in the mean
    if (core !== 1 || memory !== 1) {
      const kernels = table.laws.filter(law => "memory" in law);
      const seconds = kernels.map(law => centreOf(law, procs, work));
      const before = seconds.reduce((sum, s) => sum + s, 0);
      if (before > 0) waiting = seconds.reduce((sum, s, i) => sum + s * turnedKernel(kernels[i]), 0) / before;
    }
    return { refused, costs: law => {
      if (law.part === "comm_wait_s") return { ...asProfiled, whole: waiting };
      if ("memory" in law) return { ...asProfiled, whole: turnedKernel(law) };
      if (!law.split || !isSplit(law) || latency === 1 && volume === 1) return asProfiled;
      if (law.split.by === "counts") return { latency, volume, whole: 1 };
      const share = latencyShare(law, procs, work, network);
      return { ...asProfiled, whole: share * latency + (1 - share) * volume };
    } };
  };

  return {
    paramsAt,
    // The whole and its parts, and each law by itself; undefined where the sizes make no work. `turned` has
    // factors by the knobs' names; `refused` says why their effect is not known here.
    predict: (procs, given = {}, turned = {}) => {
      const params = paramsAt(procs, given);
      const work = workOf(params);
      if (!(work > 0 && Number.isFinite(work))) return undefined;
      const { refused, costs } = whatIf(turned, procs, work);
      if (refused) return { params, refused };
      const whole = intervalSum();
      const sums = new Map();
      const laws = table.laws.map(law => {
        if (!sums.has(law.part)) sums.set(law.part, intervalSum());
        const time = timeOf(law, procs, work, costs(law));
        const estimate = whole.estimate(time);
        whole.add(estimate, time);
        sums.get(law.part).add(estimate, time);
        return estimate;
      });
      const parts = new Map([...sums].map(([part, sum]) => [part, sum.total()]));
      return { params, time: whole.total(), parts, laws };
    }
  };
};
)js";
}

}  // namespace apmt
