// The text of configs/priors.yaml, which is compiled into the program: what is assumed before a
// program's runs are seen.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace YAML {
class Node;
}

namespace apmt {

/// A part of the file. Every function throws std::logic_error, with the line of the file, if the
/// file does not have what is asked for.
class PriorData {
 public:
  /// The whole file. It is read anew by every call, so callers keep what they need.
  static PriorData all();

  bool is_map() const;
  bool has(const std::string& key) const;
  PriorData at(const std::string& key) const;
  std::vector<PriorData> items() const;
  std::string text() const;
  double number() const;  // also a fraction such as "-2/3"
  double number(const std::string& key) const { return at(key).number(); }

 private:
  explicit PriorData(const YAML::Node& node);
  [[noreturn]] void fail(const std::string& expected) const;

  std::shared_ptr<const YAML::Node> node_;
};

}  // namespace apmt
