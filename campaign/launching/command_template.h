// The user's launch command with placeholders, such as mpirun -np {p} ./app {n}.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace apmt {

/// A problem size: the text as typed, and its value.
struct SizeValue {
  std::string text;
  double value = 0;
};

/// If a command gives the problem size per process, weak scaling needs no named sizes. Each point
/// then has a single size with this name, whose value is the process count.
inline constexpr const char* kWorkOfProcesses = "work";

/// A point of a campaign: a process count and problem sizes.
struct CampaignPoint {
  int procs = 0;
  std::map<std::string, SizeValue> sizes;
  std::map<std::string, double> params() const;
  std::string words() const;  // "8 processes, n = 1000"
};

class CommandTemplate {
 public:
  explicit CommandTemplate(std::vector<std::string> words) : words_(std::move(words)) {}

  const std::vector<std::string>& words() const { return words_; }
  bool uses(const std::string& name) const;
  /// Whether {p}, or a quotient such as {p/2}, occurs.
  bool uses_procs() const;

  /// Replaces {p} with the process count, {p/2} with half of it, {px} and {py} (and {pz}, if there
  /// is a third dimension) with the sides of the squarest process grid, and {name} with a problem
  /// size. ${name} is left to a shell, and {{name}} stands for {name} itself. Throws InputError for
  /// a name that has no value, and for arithmetic with such names, such as {p*2}.
  std::vector<std::string> filled(const CampaignPoint& point) const;

  /// The word without its placeholders, to name an experiment: "lu.W.{p}" becomes "lu.W".
  static std::string without_places(const std::string& word);

 private:
  bool has_place(const std::function<bool(const std::string&)>& is_it) const;

  std::vector<std::string> words_;
};

}  // namespace apmt
