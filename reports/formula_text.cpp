#include "reports/formula_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <set>

#include "reports/numbers.h"

namespace apmt {
namespace {

std::string number(double x, int digits = 9) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  return text;
}

/// " + 2" or " - 2" within a sum, "2" or "-2" at its beginning.
std::string signed_number(double x, bool first) {
  if (first) return number(x);
  return (x < 0 ? " - " : " + ") + number(std::abs(x));
}

std::string percent(double fraction) { return number(100 * fraction, 2) + " %"; }

/// A name for a Python function: "void sweep<double>(int)" becomes "t_void_sweep_double_int". Adds
/// a number if *taken contains this name already, then adds the result to *taken.
std::string identifier(const std::string& name, std::set<std::string>* taken) {
  std::string id;
  for (const char c : name) {
    const bool usable = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (usable)
      id += c;
    else if (!id.empty() && id.back() != '_')
      id += '_';
  }
  while (!id.empty() && id.back() == '_') id.pop_back();
  id = "t_" + id.substr(0, 60);
  std::string unique = id;
  for (int i = 2; !taken->insert(unique).second; ++i) unique = id + "_" + std::to_string(i);
  return unique;
}

/// Makes text from a program safe in a comment or a string literal: one line, no quotes or
/// backslashes.
std::string harmless(std::string text) {
  for (char& c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32) c = '\'';
  return text;
}

// ---- Python -------------------------------------------------------------------------------------

std::string python_term(const LawTerm& t, bool first) {
  std::string text = signed_number(t.coefficient, first);
  if (t.exp_rate != 0) return text + " * exp(" + number(t.exp_rate) + " * P)";
  if (t.p_exponent == 1)
    text += " * P";
  else if (t.p_exponent == -1)
    text += " / P";
  else if (t.p_exponent != 0)
    text += " * P ** " + number(t.p_exponent);
  if (t.log2_power == 1)
    text += " * log2(P)";
  else if (t.log2_power != 0)
    text += " * log2(P) ** " + std::to_string(t.log2_power);
  switch (t.shape) {
    case GridShape::kSides2:
      return text + " * sum(grid(P, 2))";
    case GridShape::kSides3:
      return text + " * sum(grid(P, 3))";
    case GridShape::kFaces3:
      return text + " * faces(P)";
    case GridShape::kAround2:
      return text + " * around(P, 2)";
    case GridShape::kAround3:
      return text + " * around(P, 3)";
    case GridShape::kAcross3:
      return text + " * across(P)";
    case GridShape::kNone:
      break;
  }
  return text;
}

std::string python(const TimeFormula& f) {
  std::string text;
  if (!f.terms.empty()) {
    for (const LawTerm& t : f.terms) text += python_term(t, text.empty());
    return text;
  }
  if (f.curve.at_s <= 0) return "0.0";
  const std::string u = "P / " + number(f.curve.procs);
  std::string exponent;
  for (std::size_t i = 0; i < f.curve.exponents.size(); ++i) {
    exponent += signed_number(f.curve.exponents[i], i == 0);
    if (i > 0) exponent += " * log(" + u + ")";
    if (i > 1) exponent += " ** " + std::to_string(i);
  }
  return number(f.curve.at_s) + " * (" + u + ") ** (" + exponent + ")";
}

constexpr const char* kPythonGrid =
    "\n\ndef grid(P, dimensions):\n"
    "    \"\"\"The squarest process grid, as MPI_Dims_create makes it.\"\"\"\n"
    "    if dimensions == 2:\n"
    "        a = max(a for a in range(1, isqrt(P) + 1) if P % a == 0)\n"
    "        return (P // a, a)\n"
    "    grids = [(P // a // b, b, a) for a in range(1, round(P ** (1 / 3)) + 1) if P % a == 0\n"
    "             for b in range(a, isqrt(P // a) + 1) if P // a % b == 0]\n"
    "    return min(grids, key=sum)\n"
    "\n\ndef faces(P):\n"
    "    x, y, z = grid(P, 3)\n"
    "    return x * y + y * z + x * z\n"
    "\n\ndef around(P, dimensions):\n"
    "    return prod(3 * side - 2 for side in grid(P, dimensions))\n"
    "\n\ndef across(P):\n"
    "    return P * sum(side > 1 for side in grid(P, 3))\n";

bool has_grid(const ModelFormulas& m) {
  return std::any_of(m.times.begin(), m.times.end(), [](const TimeFormula& f) {
    return std::any_of(f.terms.begin(), f.terms.end(),
                       [](const LawTerm& t) { return t.shape != GridShape::kNone; });
  });
}

double worst(const ModelFormulas& m) {
  double off = 0;
  for (const auto* formulas : {&m.times, &m.kernel_parts})
    for (const TimeFormula& f : *formulas) off = std::max(off, f.off);
  return off;
}

std::string range(const ModelFormulas& m) {
  return std::to_string(m.from_procs) + " to " + std::to_string(m.to_procs);
}

// ---- LaTeX --------------------------------------------------------------------------------------

std::string latex_number(double x) {
  std::string text = number(x, 5);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return text.substr(0, e) + " \\cdot 10^{" + std::to_string(std::stoi(text.substr(e + 1))) + "}";
}

std::string latex_name(const std::string& name) {
  std::string text;
  for (const char c : harmless(name)) {
    if (std::string("#$%&_{}").find(c) != std::string::npos) text += '\\';
    text += c == '~' || c == '^' ? ' ' : c;
  }
  return "T_{\\text{" + text + "}}";
}

std::string latex_term(const LawTerm& t) {
  std::string text = latex_number(std::abs(t.coefficient));
  if (t.exp_rate != 0) return text + "\\, e^{" + latex_number(t.exp_rate) + " P}";
  if (t.p_exponent == 1)
    text += "\\, P";
  else if (t.p_exponent != 0)
    text += "\\, P^{" + number(t.p_exponent, 3) + "}";
  if (t.log2_power == 1)
    text += "\\, \\log_2 P";
  else if (t.log2_power != 0)
    text += "\\, \\log_2^{" + std::to_string(t.log2_power) + "} P";
  switch (t.shape) {
    case GridShape::kSides2:
      return text + "\\, (p_x + p_y)";
    case GridShape::kSides3:
      return text + "\\, (p_x + p_y + p_z)";
    case GridShape::kFaces3:
      return text + "\\, (p_x p_y + p_y p_z + p_x p_z)";
    case GridShape::kAround2:
      return text + "\\, (3 p_x - 2)(3 p_y - 2)";
    case GridShape::kAround3:
      return text + "\\, (3 p_x - 2)(3 p_y - 2)(3 p_z - 2)";
    case GridShape::kAcross3:
      return text + "\\, P ([p_x > 1] + [p_y > 1] + [p_z > 1])";
    case GridShape::kNone:
      break;
  }
  return text;
}

std::string latex(const std::vector<LawTerm>& terms) {
  std::string text;
  for (const LawTerm& t : terms)
    text += (text.empty() ? (t.coefficient < 0 ? "-" : "") : (t.coefficient < 0 ? " - " : " + ")) +
            latex_term(t);
  return text.empty() ? "0" : text;
}

std::string latex_percent(double fraction) { return number(100 * fraction, 2) + "\\,\\%"; }

/// The formula itself if it is a sum of terms, otherwise the nearest simple law.
ReadableLaw law_of(const TimeFormula& f, const ModelFormulas& m) {
  if (!f.terms.empty()) return {f.terms, f.off};
  constexpr int kSamples = 40;
  std::vector<std::pair<double, double>> times;
  for (int i = 0; i <= kSamples; ++i) {
    const double p = m.from_procs * std::pow(static_cast<double>(m.to_procs) / m.from_procs,
                                             static_cast<double>(i) / kSamples);
    times.emplace_back(p, f.value(p));
  }
  return readable_law(times);
}

}  // namespace

std::string formulas_as_python(const ModelFormulas& m) {
  std::string text =
      "\"\"\"Seconds of " + harmless(m.program) + " on P processes, " + harmless(m.sizes) +
      ".\n\nMade by apmt export --format python. From " + range(m) +
      " processes every formula is within\n" + percent(worst(m)) +
      " of what apmt predict prints; outside they mean nothing.\n\"\"\"\n" +
      "from math import exp, isqrt, log, log2, prod\n\nFROM, TO = " + std::to_string(m.from_procs) +
      ", " + std::to_string(m.to_procs) + "\n";
  if (has_grid(m)) text += kPythonGrid;
  std::set<std::string> taken;
  const auto define = [&](const std::vector<TimeFormula>& formulas) {
    std::string list;
    for (const TimeFormula& f : formulas) {
      const std::string id = identifier(f.name, &taken);
      text += "\n\ndef " + id + "(P):\n    \"\"\"" + harmless(f.name) + ", within " +
              percent(f.off) + ".\"\"\"\n    return " + python(f) + "\n";
      list += "    \"" + id + "\": " + id + ",\n";
    }
    return "{\n" + list + "}\n";
  };
  const std::string times = define(m.times);
  text += "\n\nTIMES = " + times;
  if (!m.kernel_parts.empty()) {
    const std::string parts = define(m.kernel_parts);
    text +=
        "\n\n# Parts of kernels. Computation and memory add up to a kernel's time; messages and\n"
        "# waiting are in its own calls to MPI, outside that time. TIMES includes them all.\n"
        "KERNEL_PARTS = " +
        parts;
  }
  text +=
      "\n\ndef time_s(P):\n"
      "    \"\"\"The total.\"\"\"\n"
      "    if not FROM <= P <= TO:\n"
      "        raise ValueError(f\"{P} processes: the formulas hold from {FROM} to {TO}\")\n"
      "    return sum(f(P) for f in TIMES.values())\n"
      "\n\ndef interval_s(P):\n"
      "    \"\"\"Both ends of the " +
      number(100 * m.confidence, 3) + " % interval of the total.\"\"\"\n    return (" +
      python(m.low) + ",\n            " + python(m.high) +
      ")\n"
      "\n\nif __name__ == \"__main__\":\n"
      "    import argparse\n"
      "    parser = argparse.ArgumentParser(\n"
      "        description=\"Prints, for each process count P: P, its time and both ends of the "
      "\"\n"
      "                    \"time's interval, in seconds.\")\n"
      "    parser.add_argument(\"P\", type=int, nargs=\"+\",\n"
      "                        help=f\"process counts from {FROM} to {TO}\")\n"
      "    counts = parser.parse_args().P\n"
      "    try:\n"
      "        rows = [(P, time_s(P), *interval_s(P)) for P in counts]\n"
      "    except ValueError as error:\n"
      "        parser.error(str(error))\n"
      "    for row in rows:\n"
      "        print(*row)\n";
  return text;
}

std::string readable_law_text(const ReadableLaw& law) {
  std::string text;
  for (const LawTerm& t : law.terms) {
    text += (text.empty() ? "" : " + ") + format_seconds(t.coefficient);
    if (t.p_exponent != 0) {
      text += t.p_exponent < 0 ? " / P" : " * P";
      if (std::abs(t.p_exponent) != 1) text += "^" + number(std::abs(t.p_exponent), 2);
    }
    if (t.log2_power != 0) text += " * log2(P)";
    if (t.log2_power > 1) text += "^" + std::to_string(t.log2_power);
  }
  constexpr double kAsGood = 0.01;
  if (text.empty()) return "0 s";
  return law.off > kAsGood ? text + " (within " + format_share(law.off) + ")" : text;
}

std::string formulas_as_latex(const ModelFormulas& m) {
  std::string text = "% Seconds of " + harmless(m.program) + " on P processes, " +
                     harmless(m.sizes) + "; made by apmt export --format latex.\n% From " +
                     range(m) +
                     " processes. Each line is a short law, followed by its largest deviation from "
                     "apmt predict.\n% p_x, p_y, p_z: the squarest process grid. "
                     "apmt export --format python evaluates to the predictions.\n\\begin{align*}\n";
  const auto line = [&](const TimeFormula& f) {
    const ReadableLaw law = law_of(f, m);
    return latex_name(f.name) + " &= " + latex(law.terms) + " && \\text{within " +
           latex_percent(law.off) + "}";
  };
  std::string sum;
  for (const TimeFormula& f : m.times) {
    text += line(f) + " \\\\\n";
    sum += (sum.empty() ? "" : " + ") + latex_name(f.name);
  }
  text += "T &= " + (sum.empty() ? "0" : sum);
  for (const TimeFormula& f : m.kernel_parts) text += " \\\\\n" + line(f);
  return text + "\n\\end{align*}\n";
}

namespace {

/// The name as a call path below main. Kernels of imported runs are such paths already.
std::string below_main(const std::string& name) {
  return name.starts_with("main->") ? name : "main->" + name;
}

}  // namespace

std::string formulas_as_extrap_text(const ModelFormulas& m) {
  std::string text;
  for (const auto* formulas : {&m.times, &m.kernel_parts})
    for (const TimeFormula& f : *formulas) {
      const ReadableLaw law = nearest_terms(f, m.from_procs, m.to_procs);
      std::string model;
      for (const LawTerm& t : law.terms) {
        model += (model.empty() ? "" : " + ") + number(t.coefficient, 6);
        if (t.p_exponent != 0) model += " * p^(" + number(t.p_exponent, 4) + ")";
        if (t.log2_power != 0) model += " * log2(p)^(" + std::to_string(t.log2_power) + ")";
      }
      text += "callpath: " + below_main(harmless(f.name)) +
              "\n\tmetric: time\n\t\tModel: " + (model.empty() ? "0" : model) + "\n\t\tWithin " +
              percent(law.off) + " of apmt from p = " + range(m) + "\n";
    }
  return text;
}

}  // namespace apmt
