#include "fitter/laws/law_catalog.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/fraction.h"
#include "base/input_error.h"

namespace apmt {
namespace {

/// Reads one laws.yaml; every error names file and line.
class CatalogReader {
 public:
  explicit CatalogReader(std::filesystem::path path) : path_(std::move(path)) {}

  LawCatalog read() {
    try {
      const YAML::Node root = YAML::LoadFile(path_.string());
      check_format(root);
      per_number_ = number(member(root, "per_number"));
      read_singles(member(root, "singles"));
      read_shapes(member(root, "shapes"));
      read_shape_pairs(member(root, "shape_pairs"));
      read_combinations(member(root, "pairs"));
      read_combinations(member(root, "triples"));
      catalog_.exponential_when_worse_than = number(member(root, "exponential_when_worse_than"));
      add_work(member(root, "work_exponents"));
    } catch (const YAML::BadFile&) {
      throw InputError(path_.string(), "cannot read the set of laws",
                       "is apmt installed completely? this file is part of it");
    } catch (const YAML::Exception& error) {
      throw InputError(where(error.mark), error.msg);
    }
    return std::move(catalog_);
  }

 private:
  std::string where(const YAML::Mark& mark) const {
    return path_.string() + ":" + std::to_string(mark.line + 1);
  }
  [[noreturn]] void fail(const YAML::Node& node, const std::string& expected) const {
    throw InputError(where(node.Mark()), "expected " + expected);
  }

  YAML::Node member(const YAML::Node& map, const char* key) const {
    if (!map.IsMap() || !map[key]) fail(map, std::string("a member '") + key + "'");
    return map[key];
  }

  double number(const YAML::Node& node) const {
    const double x = node.as<double>();
    if (!std::isfinite(x) || x < 0) fail(node, "a number that is not negative");
    return x;
  }

  void check_format(const YAML::Node& root) const {
    if (member(root, "format").as<std::string>() != "apmt-laws") fail(root, "format: apmt-laws");
    if (!member(root, "format_version").as<std::string>().starts_with("1."))
      fail(root["format_version"], "format_version 1.x");
  }

  double exponent(const YAML::Node& node, const std::string& text) const {
    const std::optional<double> value = fraction(text);
    if (!value) fail(node, "a number or fraction, found '" + text + "'");
    return *value;
  }
  double exponent(const YAML::Node& node) const { return exponent(node, node.as<std::string>()); }

  /// "1l": the term P * log2(P); "0ll": log2(P)^2.
  LawTerm power_term(const YAML::Node& node) const {
    std::string text = node.as<std::string>();
    LawTerm term{.coefficient = 1};
    for (; !text.empty() && text.back() == 'l'; text.pop_back()) ++term.log2_power;
    term.p_exponent = exponent(node, text);
    return term;
  }

  bool is_plain(double power) const { return std::ranges::find(plain_, power) != plain_.end(); }
  double complexity(const LawTerm& t) const {
    return (is_plain(t.p_exponent) ? 0 : odd_exponent_) + per_log2_ * t.log2_power;
  }

  void read_singles(const YAML::Node& node) {
    for (const YAML::Node& p : member(node, "plain")) plain_.push_back(exponent(p));
    odd_exponent_ = number(member(node, "odd_exponent"));
    per_log2_ = number(member(node, "per_log2"));
    std::vector<LawTerm> terms;
    for (const YAML::Node& e : member(node, "exponents"))
      for (const YAML::Node& j : member(node, "log2_powers"))
        terms.push_back({.coefficient = 1, .p_exponent = exponent(e), .log2_power = j.as<int>()});
    for (const LawTerm& term : terms)
      catalog_.in_procs.push_back({.columns = {{term}}, .complexity = complexity(term)});
    const LawTerm constant{.coefficient = 1};
    for (const LawTerm& term : terms)
      if (term.p_exponent != 0 || term.log2_power != 0)
        catalog_.in_procs.push_back(
            {.columns = {{constant}, {term}}, .complexity = complexity(term) + per_number_});
  }

  void read_shapes(const YAML::Node& node) {
    for (const YAML::Node& shape : node) {
      std::vector<LawTerm> combination;
      for (const YAML::Node& pair : member(shape, "terms")) {
        if (!pair.IsSequence() || pair.size() != 2) fail(pair, "[factor, exponent or shape]");
        const auto name = std::ranges::find(kGridShapeNames, pair[1].as<std::string>());
        LawTerm term;
        if (name != kGridShapeNames.end())
          term.shape = static_cast<GridShape>(name - kGridShapeNames.begin());
        else
          term = power_term(pair[1]);
        term.coefficient = pair[0].as<double>();
        combination.push_back(term);
      }
      const bool of_grid = std::ranges::any_of(
          combination, [](const LawTerm& t) { return t.shape != GridShape::kNone; });
      const bool of_rows = shape["of_rows"] && shape["of_rows"].as<bool>();
      catalog_.in_procs.push_back({.columns = {combination},
                                   .complexity = number(member(shape, "complexity")),
                                   .of_grid = of_grid,
                                   .of_rows = of_rows});
      shapes_[member(shape, "name").as<std::string>()] = catalog_.in_procs.back();
    }
  }

  void read_shape_pairs(const YAML::Node& node) {
    for (const YAML::Node& names : node) {
      Candidate both{.columns = {}, .complexity = per_number_, .of_grid = true};
      for (const YAML::Node& name : names) {
        const auto shape = shapes_.find(name.as<std::string>());
        if (shape == shapes_.end()) fail(name, "the name of one of the shapes");
        both.columns.push_back(shape->second.columns.front());
        both.complexity += shape->second.complexity;
      }
      if (both.free_numbers() != 2) fail(names, "the names of two shapes");
      catalog_.in_procs.push_back(std::move(both));
    }
  }

  void read_combinations(const YAML::Node& node) {
    for (const YAML::Node& list : node) {
      Candidate candidate;
      for (const YAML::Node& item : list) {
        const LawTerm term = power_term(item);
        candidate.complexity += complexity(term);
        candidate.columns.push_back({term});
      }
      if (candidate.columns.empty()) fail(list, "at least one term");
      candidate.complexity += per_number_ * (candidate.free_numbers() - 1);
      catalog_.in_procs.push_back(std::move(candidate));
    }
  }

  /// Adds every law in P multiplied by D^m, for each exponent m in `node`. If a law has several
  /// columns, also adds a law in which the first column (usually a constant) is not multiplied.
  void add_work(const YAML::Node& node) {
    for (const YAML::Node& m : node) {
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

  std::filesystem::path path_;
  LawCatalog catalog_;
  std::map<std::string, Candidate> shapes_;
  double per_number_ = 0;
  double odd_exponent_ = 0;
  double per_log2_ = 0;
  std::vector<double> plain_;
};

}  // namespace

LawCatalog read_law_catalog(const std::filesystem::path& configs) {
  return CatalogReader(configs / "laws.yaml").read();
}

}  // namespace apmt
