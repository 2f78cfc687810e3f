#include "reports/html_pieces.h"

namespace apmt {

// The JavaScript calculates the same as draw_places.cpp, recipe.cpp, recipe_nodes.cpp and
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
  const [commonCurve, commonNoise, commonStraying, commonSize, commonCosts] = lattices;
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
      straying: mixed(commonStraying, curve.map(s => lattice(s, constants.lattice[2])), beyond) };
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

  // A curve is [family, index, a, b, c]. It is evaluated at { l, lProcs, maxProcs, shift, counts };
  // l is ln u of fitter/times/recipe.h.
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
  // The grid of p, the second count's share. If other data show how large the shares are, the weights change:
  // `lnShares` has the mean and the standard deviation of ln(1 - p) and of ln(p), or null.
  const expectedShares = (shares, lnShares) => {
    if (!lnShares.some(known => known)) return shares;
    const miss = p => lnShares.reduce((sum, known, i) =>
      known ? sum + ((Math.log(i === 0 ? 1 - p : p) - known[0]) / known[1]) ** 2 : sum, 0);
    const least = Math.min(...shares.map(([p]) => miss(p)));
    const weighed = shares.map(([p, w]) => [p, w * Math.exp(-0.5 * (miss(p) - least))]);
    const sum = weighed.reduce((total, [, w]) => total + w, 0);
    return weighed.map(([p, w]) => [p, w / sum]);
  };
  const forEachCurve = (law, grids, draw) => {
    const beside = law.families.length > 0 || law.by_costs ? 1 - constants.count_weight : 1;
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
      for (const [p, w] of two ? expectedShares(grids.count_share, family.ln_shares) : [[0, 1]])
        for (const [d, v] of grids.drift)
          draw(constants.count_weight * family.prior * w * v, [kCounts, i, p, d, 0]);
    });
    if (law.by_costs && law.by_costs.prior > 0)
      for (const [d, v] of grids.drift)
        draw(constants.count_weight * law.by_costs.prior * v, [kCounts, law.families.length, 0, d, 0]);
  };

  // Covariance of a law's deviations from its curve at two places. The deviation is an integrated
  // random walk that begins at place 0 and goes in both directions.
  const wandered = ([among, ahead], l1, l2) => {
    if (l1 * l2 <= 0) return 0;
    const near = Math.min(Math.abs(l1), Math.abs(l2)), far = Math.max(Math.abs(l1), Math.abs(l2));
    return square((l1 > 0 ? ahead : among) * near) * (3 * far - near) / 6;
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

  // Calculates the posterior weight of every pair of a curve and a noise, given the points. The
  // level is integrated out.
  const condition = law => {
    const grids = table.priors[law.priors];
    const points = law.places.map(([l, lProcs, shift], i) => ({ l, lProcs, shift, y: law.values[i][0], extra: law.values[i][1],
      maxProcs: law.max_procs, counts: [...law.families, ...law.by_costs ? [law.by_costs] : []]
        .map(f => f.at_points.map(values => values[i])) }));
    const all = constants.noise_nodes.reduce((sum, z) => sum + Math.exp(-0.5 * z * z), 0);
    const noises = [];
    const addNoises = (weight, accidental) => constants.noise_nodes.forEach(z => {
      const variance = Math.exp(2 * (law.noise[0] + law.noise[1] * z));
      const variances = points.map((p, i) =>
        variance + square(p.extra) + (i === accidental ? square(constants.accident_sd) : 0));
      const inverse = grids.wander[0] > 0 ? points.map((p, i) =>
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
      if (grids.wander[0] > 0) atPoints.push(points.map((p, i) => p.y - distance[i]));
    });
    // Drops the pairs with the smallest weights: all below a power of two, which together have a
    // negligible share.
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
    // Chooses the node (curve and noise) in the middle of each stratum. Nodes are ordered by the
    // time at a process count far above the profiled ones.
    const kEntries = Math.pow(2, 20);
    const ahead = targetOf(law, constants.far_ahead * law.max_procs, law.reference_work, asProfiled);
    let last = -1, value = 0;
    const order = Float64Array.from(kept, (i, n) => {
      if (curve[i] !== last) value = curveValue(grids.plain, curves[last = curve[i]], ahead);
      return Math.floor(clamp(value + level[i], -700, 700) * 1e6 + 0.5) * kEntries + n;
    }).sort();
    const entryAt = n => kept[order[n] - Math.floor(order[n] / kEntries) * kEntries];
    const nodes = [], nodeOf = new Uint16Array(count);
    let at = 0, cumulated = weight[entryAt(0)] / total, taken = -1;
    for (let stratum = 0; stratum < count; ++stratum) {
      while (cumulated < (stratum + 0.5) / count && at + 1 < order.length)
        cumulated += weight[entryAt(++at)] / total;
      if (at !== taken) {
        const i = entryAt(taken = at);
        const drawn = curves[curve[i]];
        nodes.push({ curve: drawn, level: level[i], noise: noise[i],
          isByCosts: drawn[0] === kCounts && drawn[1] === law.families.length,
          misses: grids.wander[0] > 0 ? points.map((p, j) => p.y - atPoints[curve[i]][j] - level[i]) : [] });
      }
      nodeOf[stratum] = nodes.length - 1;
    }
    return { plain: grids.plain, widening: grids.widening, wander: grids.wander, points, noises, nodes, nodeOf };
  };

  // A target's deviation from the curves. Its expected value is a weighted sum of the points'
  // distances from the curve: `follows` has the weights (empty for a target beyond all points).
  // `walk` and `level` are the variances that remain, of the random walk and of the level.
  const wanderedTo = (law, target, n) => {
    const k = l => wandered(law.wander, target.l, l);
    if (law.wander[0] === 0 || target.l >= 0) return { follows: [], walk: k(target.l), level: 1 / n.sum };
    const shared = law.points.map(p => k(p.l));
    const follows = n.inverse.map(row => row.reduce((sum, q, i) => sum + q * shared[i], 0));
    const all = follows.reduce((a, b) => a + b, 0);
    return { follows, walk: k(target.l) - follows.reduce((sum, f, i) => sum + f * shared[i], 0),
      level: square(1 - all) / n.sum };
  };
  const nodeMeans = (ready, target, wander) => ready.nodes.map(node =>
    curveValue(ready.plain, node.curve, target) + node.level
      + wander[node.noise].follows.reduce((sum, f, i) => sum + f * node.misses[i], 0));
  // ln T of every draw.
  const lnDraws = (ready, places, target) => {
    const wander = ready.noises.map(n => wanderedTo(ready, target, n));
    const means = nodeMeans(ready, target, wander);
    const noise = ready.noises.map((n, i) => Math.sqrt(n.variance + wander[i].level));
    const straying = [constants.plain_widening, ready.widening].map(widening =>
      wander.map(w => Math.sqrt(Math.max(w.walk, 0) + square(widening * target.distance))));
    const draws = new Float64Array(count);
    const ofCosts = target.ofWays ? ofDraws(target.ofWays) : null;
    const cached = target.cached ? ofDraws(target.cached) : null;
    for (let k = 0; k < count; ++k) {
      const at = ready.nodeOf[places.curve[k]], node = ready.nodes[at];
      draws[k] = means[at] + noise[node.noise] * normals[places.noise[k]]
        + straying[carriesItsUncertainty(node.curve[0]) ? 0 : 1][node.noise] * normals[places.straying[k]]
        + target.extra * normals[commonSize[k]] + (node.isByCosts ? ofCosts[k] : 0)
        + (cached ? cached[k] : 0);
    }
    return draws;
  };

  // Factors by which costs change: { latency, volume, whole }.
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
      costOf(costs, feature) * perRank(feature, procs, work) / feature.reference
        * (law.work_varies ? 1 : Math.pow(work / law.reference_work, feature.size_exponent))));
    const ofNewSize = law.size_rule !== "none" && !law.many_sizes && !profiled ? constants.new_size : 0;
    return { l, lProcs, maxProcs: law.max_procs, distance,
      shift: (law.size_rule === "linear" ? law.linear_exponent * Math.log(work / law.reference_work) : 0)
        + Math.log(costRatio(law, procs, work, costs)),
      extra: Math.hypot(ofNewSize, unseenSd(law, procs, work)),
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
    const times = law.families.map(family => costTimesCounts(family, procs, work, ratio, costs));
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
