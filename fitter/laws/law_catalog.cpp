#include "fitter/laws/law_catalog.h"

#include <algorithm>
#include <map>

#include "base/fraction.h"
#include "machine/yaml_json.h"

namespace apmt {
namespace {

std::vector<JsonAt> elements(const JsonAt& list) {
  std::vector<JsonAt> all;
  list.for_each([&](const JsonAt& element) { all.push_back(element); });
  return all;
}

class CatalogReader {
 public:
  LawCatalog read(const JsonAt& root) {
    per_number_ = root.at("per_number").non_negative();
    read_singles(root.at("singles"));
    read_shapes(root.at("shapes"));
    read_shape_pairs(root.at("shape_pairs"));
    read_sums(root.at("pairs"));
    read_sums(root.at("triples"));
    catalog_.exponential_when_worse_than = root.at("exponential_when_worse_than").non_negative();
    add_work(root.at("work_exponents"));
    return std::move(catalog_);
  }

 private:
  /// "1l": the term P * log2(P); "0ll": log2(P)^2; "2/3": P^(2/3).
  static LawTerm power_term(const JsonAt& json) {
    std::string text = json.string();
    LawTerm term{.coefficient = 1};
    for (; !text.empty() && text.back() == 'l'; text.pop_back()) ++term.log2_power;
    const std::optional<double> exponent = fraction(text);
    if (!exponent) json.fail("a number or fraction as text");
    term.p_exponent = *exponent;
    return term;
  }
  static double exponent(const JsonAt& json) { return power_term(json).p_exponent; }

  double complexity(const LawTerm& t) const {
    const bool is_plain = std::ranges::find(plain_, t.p_exponent) != plain_.end();
    return (is_plain ? 0 : odd_exponent_) + per_log2_ * t.log2_power;
  }

  /// Adds a law in which each term has a coefficient of its own.
  void add_sum(const std::vector<LawTerm>& terms) {
    Candidate& law = catalog_.in_procs.emplace_back();
    for (const LawTerm& term : terms) {
      law.columns.push_back({term});
      law.complexity += complexity(term);
    }
    law.complexity += per_number_ * (law.free_numbers() - 1);
  }

  void read_singles(const JsonAt& json) {
    for (const JsonAt& p : elements(json.at("plain"))) plain_.push_back(exponent(p));
    odd_exponent_ = json.at("odd_exponent").non_negative();
    per_log2_ = json.at("per_log2").non_negative();
    std::vector<LawTerm> terms;
    for (const JsonAt& e : elements(json.at("exponents")))
      for (const JsonAt& j : elements(json.at("log2_powers")))
        terms.push_back({.coefficient = 1,
                         .p_exponent = exponent(e),
                         .log2_power = static_cast<int>(j.integer_in(0, 8))});
    const LawTerm constant{.coefficient = 1};
    for (const LawTerm& term : terms) add_sum({term});
    for (const LawTerm& term : terms)
      if (term != constant) add_sum({constant, term});
  }

  void read_shapes(const JsonAt& json) {
    for (const JsonAt& shape : elements(json)) {
      Candidate& law = catalog_.in_procs.emplace_back();
      std::vector<LawTerm>& terms = law.columns.emplace_back();
      for (const JsonAt& term : elements(shape.at("terms"))) {
        const std::vector<JsonAt> pair = elements(term);
        if (pair.size() != 2) term.fail("[factor, exponent or shape]");
        const auto name = std::ranges::find(kGridShapeNames, pair[1].string());
        if (name != kGridShapeNames.end())
          terms.push_back({.shape = static_cast<GridShape>(name - kGridShapeNames.begin())});
        else
          terms.push_back(power_term(pair[1]));
        terms.back().coefficient = pair[0].number();
        law.of_grid = law.of_grid || terms.back().shape != GridShape::kNone;
      }
      law.complexity = shape.at("complexity").non_negative();
      if (const auto of_rows = shape.find("of_rows")) law.of_rows = of_rows->boolean();
      shapes_[shape.at("name").string()] = law;
    }
  }

  void read_shape_pairs(const JsonAt& json) {
    for (const JsonAt& names : elements(json)) {
      Candidate both{.columns = {}, .complexity = per_number_, .of_grid = true};
      for (const JsonAt& name : elements(names)) {
        const auto shape = shapes_.find(name.string());
        if (shape == shapes_.end()) name.fail("the name of one of the shapes");
        both.columns.push_back(shape->second.columns.front());
        both.complexity += shape->second.complexity;
      }
      if (both.free_numbers() != 2) names.fail("the names of two shapes");
      catalog_.in_procs.push_back(std::move(both));
    }
  }

  void read_sums(const JsonAt& json) {
    for (const JsonAt& sum : elements(json)) {
      std::vector<LawTerm> terms;
      for (const JsonAt& term : elements(sum)) terms.push_back(power_term(term));
      if (terms.empty()) sum.fail("at least one term");
      add_sum(terms);
    }
  }

  /// Adds every law in P multiplied by D^m, for each exponent m in `json`. If a law has several
  /// columns, also adds a law in which the first column (usually a constant) is not multiplied.
  void add_work(const JsonAt& json) {
    for (const JsonAt& m : elements(json)) {
      const double power = exponent(m);
      const double cost = power == 0 || power == 1 ? 0 : 0.5;
      for (const Candidate& law : catalog_.in_procs) {
        Candidate scaled = law;
        scaled.complexity += cost;
        for (auto& column : scaled.columns)
          for (LawTerm& term : column) term.work_exponent = power;
        catalog_.in_procs_and_work.push_back(scaled);
        if (power == 0 || law.free_numbers() < 2) continue;
        for (LawTerm& term : scaled.columns.front()) term.work_exponent = 0;
        scaled.complexity += 0.5;
        catalog_.in_procs_and_work.push_back(scaled);
      }
    }
  }

  LawCatalog catalog_;
  std::map<std::string, Candidate> shapes_;
  double per_number_ = 0;
  double odd_exponent_ = 0;
  double per_log2_ = 0;
  std::vector<double> plain_;
};

}  // namespace

LawCatalog read_law_catalog(const std::filesystem::path& configs) {
  const std::filesystem::path path = configs / "laws.yaml";
  const Json root = read_yaml_file(path, "apmt-laws", 1);
  return CatalogReader().read(JsonAt(root, path.string()));
}

}  // namespace apmt
