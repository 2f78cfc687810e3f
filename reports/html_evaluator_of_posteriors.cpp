#include "reports/html_pieces.h"

namespace apmt {

// The second part of the JavaScript function that begins in html_evaluator_of_laws(). It calculates
// the same as recipe.cpp and recipe_nodes.cpp of the fitter.
std::string_view html_evaluator_of_posteriors() {
  return R"js(  // A curve is [family, index, a, b, c]. It is evaluated at { l, lProcs, maxProcs, shift, counts };
  // l is ln u of fitter/times/recipe.h.
  const kPower = 0, kTwoTerms = 1, kCounts = 2, kPlain = 3;
  const carriesItsUncertainty = family => family >= kCounts;
  const lnPower = (slope, l) => (l > 0 ? Math.max(slope, constants.steepest) : slope) * l;
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
    if (family === kTwoTerms)
      return at.shift + Math.log((1 - a) * Math.exp(lnPower(-b, at.l)) + a * Math.exp(lnBeside(c, at)));
    if (family === kPlain) return at.shift + plainValue(plain[index], a, at);
    const relative = at.counts[index];
    const sum = relative.length > 1 ? (1 - a) * relative[0] + a * relative[1] : relative[0];
    return Math.log(Math.max(sum, 1e-300));
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
    if (grids.two_terms < 1)
      for (const [s, w] of grids.slope) draw(curves * (1 - grids.two_terms) * w, [kPower, 0, s, 0, 0]);
    if (grids.two_terms > 0)
      for (const [f, w] of grids.share)
        for (const [a, v] of grids.fall)
          for (const [b, u] of grids.rise)
            draw(curves * grids.two_terms * w * v * u, [kTwoTerms, 0, f, a, b]);
    law.families.forEach((family, i) => {
      if (!(family.prior > 0)) return;
      const two = family.features.length > 1;
      for (const [p, w] of two ? expectedShares(grids.count_share, family.ln_shares) : [[0, 1]])
        draw(constants.count_weight * family.prior * w, [kCounts, i, p, 0, 0]);
    });
    if (law.by_costs && law.by_costs.prior > 0)
      draw(constants.count_weight * law.by_costs.prior, [kCounts, law.families.length, 0, 0, 0]);
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
    const addNoises = (wander, weight, accidental) => constants.noise_nodes.forEach(z => {
      const variance = Math.exp(2 * (law.noise[0] + law.noise[1] * z));
      const variances = points.map((p, i) =>
        variance + square(p.extra) + (i === accidental ? square(constants.accident_sd) : 0));
      const inverse = wander[0] > 0 ? points.map((p, i) =>
        points.map((q, j) => wandered(wander, p.l, q.l) + (i === j ? variances[i] : 0))) : null;
      const lnDeterminant = inverse ? invert(inverse) : variances.reduce((a, v) => a + Math.log(v), 0);
      const precision = variances.map((v, i) => inverse ? inverse[i][i] : 1 / v);
      const pull = inverse ? inverse.map(row => row.reduce((a, b) => a + b, 0)) : precision;
      const sum = pull.reduce((a, b) => a + b, 0);
      const lnPrior = Math.log(weight) - 0.5 * z * z - Math.log(all) - 0.5 * Math.log(sum) - 0.5 * lnDeterminant;
      noises.push({ variance, precision, inverse, pull, sum, lnPrior, wander });
    });
    const [fewest, most] = constants.accident_points;
    const accident = points.length < fewest || points.length > most ? 0 : grids.accident;
    const slopes = grids.wander[1] > 0 ? [[0, 0], grids.wander] : [[0, 0]];
    for (const wander of slopes) {
      addNoises(wander, 1 - accident, -1);
      if (accident > 0) points.forEach((p, i) => addNoises(wander, accident / points.length, i));
    }
    const curves = [], curve = [], noise = [], level = [], weight = [];
    let largest = -Infinity;
    const distance = new Float64Array(points.length), atPoints = [];
    forEachCurve(law, grids, (prior, drawn) => {
      for (let i = 0; i < points.length; ++i) distance[i] = points[i].y - curveValue(grids.plain, drawn, points[i]);
      const wander = slopes[carriesItsUncertainty(drawn[0]) ? 0 : slopes.length - 1];
      noises.forEach((n, s) => {
        if (n.wander !== wander) return;
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
      if (slopes.length > 1) atPoints.push(points.map((p, i) => p.y - distance[i]));
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
          misses: slopes.length > 1 ? points.map((p, j) => p.y - atPoints[curve[i]][j] - level[i]) : [] });
      }
      nodeOf[stratum] = nodes.length - 1;
    }
    const widenings = [grids.plain_widening, grids.widening];
    return { plain: grids.plain, widenings, change: grids.change, points, noises, nodes, nodeOf };
  };

  // A target's deviation from the curves. Its expected value is a weighted sum of the points'
  // distances from the curve: `follows` has the weights (empty for a target beyond all points).
  // `walk` and `level` are the variances that remain, of the random walk and of the level.
  const wanderedTo = (law, target, n) => {
    const k = l => wandered(n.wander, target.l, l);
    if (n.wander[0] === 0 || target.l >= 0) return { follows: [], walk: k(target.l), level: 1 / n.sum };
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
    const straying = ready.widenings.map(widening =>
      wander.map(w => Math.sqrt(Math.max(w.walk, 0) + square(widening * target.distance))));
    const draws = new Float64Array(count);
    const ofCosts = target.ofWays ? ofDraws(target.ofWays) : null;
    const cached = target.cached ? ofDraws(target.cached) : null;
    const changesMessages = target.latency !== 1 || target.volume !== 1;
    const [chance, lnFactor, lnFactorSd] = ready.change;
    const chanceHere = chance * clamp(target.distance / Math.LN2, 0, 1);
    for (let k = 0; k < count; ++k) {
      const at = ready.nodeOf[places.curve[k]], node = ready.nodes[at];
      draws[k] = means[at] + noise[node.noise] * normals[places.noise[k]]
        + straying[carriesItsUncertainty(node.curve[0]) ? 0 : 1][node.noise] * normals[places.straying[k]]
        + target.extra * normals[commonSize[k]] + (node.isByCosts ? ofCosts[k] : 0)
        + (cached ? cached[k] : 0);
      if (changesMessages && !carriesItsUncertainty(node.curve[0])) {
        const share = (places.change[k] + 0.5) / count;  // of latency
        draws[k] += Math.log(share * target.latency + (1 - share) * target.volume);
      }
      const place = Math.floor((places.change[k] + 0.5) / chanceHere);
      if (place < count && carriesItsUncertainty(node.curve[0]))
        draws[k] += lnFactor + lnFactorSd * normals[place];
    }
    return draws;
  };

)js";
}

}  // namespace apmt
