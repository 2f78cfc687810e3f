// Tests that exported formulas give what apmt predict prints: runs the exported Python module and
// compares its numbers.
#include "reports/formula_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

#include "base/temporary_folder.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Exact laws of a noise-free program, which includes a halo exchange on a grid.
Model exact_model() {
  return synthetic::fit_runs(
      {synthetic::halo_run(4), synthetic::halo_run(8), synthetic::halo_run(16)});
}

/// Every time is off by a few per cent, so that no law is exact and predictions come from
/// quadrature.
Model noisy_model() {
  std::vector<synthetic::PlantedRun> runs;
  for (const int p : {2, 4, 8, 16})
    for (int r = 1; r <= 2; ++r) {
      synthetic::PlantedRun run = synthetic::halo_run(p, r);
      run.sample_s = 1e-3;
      const double off = 1 + 0.03 * std::sin(7.0 * p + r);
      for (auto& [name, s] : run.kernel_s) s = s * off + 0.01 / p;
      run.p2p_s *= 2 - off;
      run.coll_s *= off;
      runs.push_back(run);
    }
  return synthetic::fit_runs(runs);
}

struct Line {
  int procs = 0;
  double time_s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// What the module prints, run as a program, and its exit code.
std::pair<std::string, int> output_of(const std::string& module, const std::string& arguments) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "formulas.py";
  std::ofstream(file) << module;
  FILE* pipe = ::popen(("python3 " + file.string() + " " + arguments + " 2>&1").c_str(), "r");
  std::string out;
  char buffer[256];
  while (pipe != nullptr && std::fgets(buffer, sizeof buffer, pipe) != nullptr) out += buffer;
  const int status = pipe != nullptr ? ::pclose(pipe) : -1;
  return {out, WEXITSTATUS(status)};
}

std::vector<Line> run_python(const std::string& module, const std::string& arguments) {
  const auto [out, exit_code] = output_of(module, arguments);
  EXPECT_EQ(exit_code, 0) << out;
  std::vector<Line> lines;
  std::istringstream in(out);
  for (Line l; in >> l.procs >> l.time_s >> l.low_s >> l.high_s;) lines.push_back(l);
  return lines;
}

void expect_equal_to_predict(const Model& model, double tolerance) {
  const ModelFormulas formulas = formulas_of(model);
  const std::vector<Line> lines =
      run_python(formulas_as_python(formulas), "4 6 16 31 64 100 512 1000");
  ASSERT_EQ(lines.size(), 8u);
  const Predictor predictor(model);
  for (const Line& l : lines) {
    const Prediction p = predictor.predict({.procs = l.procs, .params = {}, .scaling = {}});
    EXPECT_NEAR(l.time_s / p.time.time_s, 1, tolerance) << l.procs;
    EXPECT_NEAR(l.low_s / p.time.low_s, 1, 5 * tolerance) << l.procs;
    EXPECT_NEAR(l.high_s / p.time.high_s, 1, 5 * tolerance) << l.procs;
  }
}

bool has_python() {
  return std::system("python3 -c 'from math import isqrt, prod' 2>/dev/null") == 0;
}

TEST(FormulaText, PythonSaysWhatPredictSaysOfExactLaws) {
  if (!has_python()) GTEST_SKIP() << "no python3 with math.isqrt and math.prod";
  expect_equal_to_predict(exact_model(), 1e-3);
}

TEST(FormulaText, PythonSaysWhatPredictSaysOfQuadrature) {
  if (!has_python()) GTEST_SKIP() << "no python3 with math.isqrt and math.prod";
  expect_equal_to_predict(noisy_model(), 2e-3);
}

TEST(FormulaText, PythonRefusesWhatItDoesNotHoldFor) {
  const std::string module = formulas_as_python(formulas_of(noisy_model()));
  EXPECT_THAT(module, HasSubstr("raise ValueError"));
  if (!has_python()) GTEST_SKIP() << "no python3 with math.isqrt and math.prod";
  for (const auto& [arguments, error] :
       {std::pair("4 2000", "2000 processes: the formulas hold from 2 to 1024"),
        {"abc", "invalid int value: 'abc'"},
        {"", "required: P"}}) {
    const auto [out, exit_code] = output_of(module, arguments);
    EXPECT_EQ(exit_code, 2) << arguments;
    EXPECT_THAT(out, HasSubstr("usage: ")) << arguments;
    EXPECT_THAT(out, HasSubstr(error));
    EXPECT_THAT(out, Not(HasSubstr("Traceback"))) << arguments;
  }
  const auto [help, exit_code] = output_of(module, "--help");
  EXPECT_EQ(exit_code, 0);
  EXPECT_THAT(help, HasSubstr("process counts from 2 to 1024"));
}

TEST(FormulaText, TheRangeAndTheDifferenceAreSaid) {
  const ModelFormulas formulas = formulas_of(noisy_model());
  EXPECT_EQ(formulas.from_procs, 2);
  EXPECT_EQ(formulas.to_procs, 1024);
  for (const TimeFormula& f : formulas.times) EXPECT_LT(f.off, 0.01) << f.name;
  const std::string latex = formulas_as_latex(formulas);
  EXPECT_THAT(latex, Not(HasSubstr("\\ln")));
  EXPECT_THAT(latex, HasSubstr("\\text{within "));
  EXPECT_THAT(formulas_as_latex(formulas), HasSubstr("From 2 to 1024 processes"));
}

TEST(FormulaText, GridsArePutTogetherAsMpiDoes) {
  if (!has_python()) GTEST_SKIP() << "no python3 with math.isqrt and math.prod";
  ModelFormulas formulas;
  formulas.from_procs = 1;
  formulas.to_procs = 1000;
  double scale = 1;
  for (const GridShape shape : {GridShape::kSides2, GridShape::kSides3, GridShape::kFaces3,
                                GridShape::kAround2, GridShape::kAround3, GridShape::kAcross3})
    formulas.times.push_back(
        {.name = "shape",
         .terms =
             {{.coefficient = scale *= 1000, .p_exponent = -1, .log2_power = 1, .shape = shape}},
         .curve = {}});
  const std::vector<Line> lines = run_python(formulas_as_python(formulas), "2 8 30 60 64 97 720");
  ASSERT_EQ(lines.size(), 7u);
  for (const Line& l : lines) {
    double sum = 0;
    for (const TimeFormula& f : formulas.times) sum += f.value(l.procs);
    EXPECT_NEAR(l.time_s / sum, 1, 1e-12) << l.procs;
  }
}

TEST(FormulaText, LatexBalances) {
  const std::string text = formulas_as_latex(formulas_of(exact_model()));
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_THAT(text, HasSubstr("\\begin{align*}"));
  EXPECT_THAT(text, HasSubstr("P^{-1}"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

/// The lines of an align* environment, without its first and last.
std::vector<std::string> latex_lines(const std::string& text) {
  const std::string begin = "\\begin{align*}\n";
  const std::size_t start = text.find(begin) + begin.size();
  std::istringstream in(text.substr(start, text.find("\\end{align*}") - start));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t terms_in(const std::string& line) {
  const std::size_t start = line.find("&= ") + 3;
  const std::string law = line.substr(start, line.find(" && ") - start);
  std::size_t terms = 1;
  for (const char* sign : {" + ", " - "})
    for (std::size_t at = law.find(sign); at != std::string::npos; at = law.find(sign, at + 1))
      ++terms;
  return terms;
}

TEST(FormulaText, ALawOfLatexIsOneLineOfItsOwnTerms) {
  constexpr std::size_t kOfAReadableLaw = 2;
  for (const Model& model : {exact_model(), noisy_model()}) {
    const ModelFormulas formulas = formulas_of(model);
    std::vector<TimeFormula> laws = formulas.times;
    laws.insert(laws.end(), formulas.kernel_parts.begin(), formulas.kernel_parts.end());
    std::vector<std::string> lines = latex_lines(formulas_as_latex(formulas));
    ASSERT_EQ(lines.size(), laws.size() + 1) << "and their sum";
    EXPECT_THAT(lines[formulas.times.size()], testing::StartsWith("T &= "));
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(formulas.times.size()));
    for (std::size_t i = 0; i < laws.size(); ++i) {
      EXPECT_LE(terms_in(lines[i]), std::max(laws[i].terms.size(), kOfAReadableLaw)) << lines[i];
      EXPECT_THAT(lines[i], Not(HasSubstr("\\ln")));
      EXPECT_LT(lines[i].size(), 200u) << lines[i];
    }
  }
}

/// The largest share that a term has of a law, at any of these process counts.
double most_of(const LawTerm& term, const std::vector<LawTerm>& law, int from, int to) {
  double most = 0;
  for (double p = from; p <= to; p *= 2) {
    double sum = 0;
    for (const LawTerm& t : law) sum += t.value(p, 1);
    most = std::max(most, std::abs(term.value(p, 1) / sum));
  }
  return most;
}

TEST(FormulaText, NoTermContributesNothing) {
  constexpr double kNearlyNothing = 5e-5;  // half the least share of a term (kLeastTermShare)
  // The time of the collectives has a term in P that is negligible beside the constant term.
  std::vector<synthetic::PlantedRun> lost;
  for (const int p : {4, 8, 16}) {
    lost.push_back(synthetic::halo_run(p));
    lost.back().coll_s = 1e-9 * p + 2.0;
  }
  for (const Model& model : {exact_model(), noisy_model(), synthetic::fit_runs(lost)}) {
    const ModelFormulas m = formulas_of(model);
    for (const TimeFormula& f : m.times)
      for (const std::vector<LawTerm>& law :
           {f.terms, nearest_terms(f, m.from_procs, m.to_procs).terms})
        for (const LawTerm& term : law)
          EXPECT_GT(most_of(term, law, m.from_procs, m.to_procs), kNearlyNothing)
              << f.name << ": " << term.coefficient << " P^" << term.p_exponent;
    EXPECT_FALSE(std::regex_search(formulas_as_latex(m), std::regex("10\\^\\{-1[3-9]\\}")))
        << formulas_as_latex(m);
  }
}

TEST(FormulaText, ACostOfNothingIsNoTermOfAClosedLaw) {
  Model model = exact_model();
  std::size_t planted = 0;
  for (CommModel& comm : model.comm) {
    if (!comm.law || comm.law->kind != TimeLaw::Kind::kUnitCosts) continue;
    std::vector<Feature>& features = comm.law->families.front().features;
    ASSERT_FALSE(features.empty());
    Feature nothing = features.front();
    nothing.cost = 1e-24;
    features.push_back(nothing);
    ++planted;
  }
  ASSERT_GT(planted, 0u);
  const ModelFormulas m = formulas_of(model);
  std::size_t closed = 0;
  for (const TimeFormula& f : m.times) {
    closed += f.terms.empty() ? 0 : 1;
    for (const LawTerm& term : f.terms)
      EXPECT_GT(std::abs(term.coefficient), 1e-12) << f.name << " P^" << term.p_exponent;
  }
  EXPECT_GE(closed, planted) << "the planted laws are not closed: nothing was tried";
}

TEST(FormulaText, ALawIsOneLine) {
  ReadableLaw law;
  law.terms = {{.coefficient = 3.2, .p_exponent = -1},
               {.coefficient = 0.012, .p_exponent = -0.5, .log2_power = 2},
               {.coefficient = 4e-6, .p_exponent = 1.0 / 3}};
  law.off = 0.034;
  EXPECT_EQ(readable_law_text(law),
            "3.20 s / P + 12.0 ms / P^0.5 * log2(P)^2 + 4.00 us * P^0.33 (within 3.4 %)");
  EXPECT_EQ(readable_law_text({}), "0 s");
}

TEST(FormulaText, NamesOfProgramsEndNoString) {
  ModelFormulas formulas;
  formulas.program = "a\"\"\"\nimport os";
  formulas.times = {{.name = "void \"k\"<int>(%x)\n", .terms = {{.coefficient = 2}}, .curve = {}},
                    {.name = "void 'k'<int>(%x)", .terms = {{.coefficient = 3}}, .curve = {}}};
  formulas.from_procs = 1;
  formulas.to_procs = 8;
  const std::string text = formulas_as_python(formulas);
  EXPECT_THAT(text, Not(HasSubstr("\nimport os")));
  EXPECT_THAT(text, HasSubstr("def t_void_k_int_x(P)"));
  EXPECT_THAT(text, HasSubstr("def t_void_k_int_x_2(P)"));
  if (has_python()) {
    EXPECT_EQ(run_python(text, "4").at(0).time_s, 5);
  }
}

TEST(FormulaText, ExtrapSumsComeNearAndSayHowNear) {
  const std::string text = formulas_as_extrap_text(formulas_of(exact_model()));
  EXPECT_THAT(text, HasSubstr("callpath: main->"));
  EXPECT_THAT(text, HasSubstr("* p^(-1)"));
  EXPECT_THAT(text, HasSubstr("Within "));
}

TEST(FormulaText, ImportedCallPathsKeepTheirNamesInExtrapText) {
  ModelFormulas formulas = formulas_of(exact_model());
  formulas.times.at(0).name = "main->solve->sweep";
  const std::string text = formulas_as_extrap_text(formulas);
  EXPECT_THAT(text, HasSubstr("callpath: main->solve->sweep\n"));
  EXPECT_THAT(text, Not(HasSubstr("main->main")));
}

}  // namespace
}  // namespace apmt
