// Reads the text report of mpiP: the time, calls and sent bytes of each MPI operation, and the time
// of the rest of the program.

#include <cstdlib>
#include <sstream>

#include "base/input_error.h"
#include "foreign/files.h"

namespace apmt {
namespace {

/// An MPI operation, summed over all ranks and call sites.
struct Operation {
  double seconds = 0;
  double calls = 0;
  double bytes = 0;
};

class Report {
 public:
  explicit Report(std::string file) : file_(std::move(file)) {}

  void line(const std::string& text) {
    ++line_;
    if (text.starts_with("@---")) {
      section_ = text;
      is_concise_ |= is_in("Task Time Statistics (seconds)");
    } else if (text.starts_with("@ Command :")) {
      program_ = program_of(text.substr(text.find(':') + 1));
    } else if (is_in("MPI Time (seconds)")) {
      add_task(words_of(text));
    } else if (is_in("Callsite Time statistics (all, milliseconds)")) {
      add_site(words_of(text));
    } else if (is_in("Callsite Message Sent statistics (all, sent bytes)")) {
      add_sent(words_of(text));
    }
  }

  ForeignFile finish() const {
    if (is_concise_)
      throw InputError(file_, "is a concise report, without the time of each process",
                       "run mpiP without its option -c; with -v it writes both kinds");
    if (tasks_ == 0)
      throw InputError(file_, "has no section 'MPI Time (seconds)' with a line for each task",
                       "mpiP writes it at MPI_Finalize: the report may be cut off");
    if (!section_.starts_with("@--- End of Report"))
      throw InputError(file_ + ":" + std::to_string(line_), "the report is cut off",
                       "its last section is 'End of Report'");
    const double tasks = tasks_;
    const std::map<std::string, double> params = {{"p", tasks}};
    ForeignFile result{program_, {{"main", "time", params, {(app_s_ - mpi_s_) / tasks}}}};
    double unlisted_s = mpi_s_;
    for (const auto& [name, operation] : operations_) {
      const std::string path = "main->MPI_" + name;
      result.values.push_back({path, "time", params, {operation.seconds / tasks}});
      result.values.push_back({path, "calls", params, {operation.calls / tasks}});
      if (operation.bytes > 0)
        result.values.push_back({path, "bytes", params, {operation.bytes / tasks}});
      unlisted_s -= operation.seconds;
    }
    // The report states three digits of each figure, so differences below this share are due to
    // rounding.
    constexpr double kRounding = 0.02;
    if (unlisted_s > kRounding * mpi_s_)
      result.values.push_back({"main->MPI_ (not listed)", "time", params, {unlisted_s / tasks}});
    return result;
  }

 private:
  static std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }

  static std::string program_of(const std::string& command) {
    const std::vector<std::string> words = words_of(command);
    if (words.empty()) return {};
    return words.front().substr(words.front().find_last_of('/') + 1);
  }

  bool is_in(const char* section) const { return section_.find(section) != std::string::npos; }

  double number(const std::string& word) const {
    char* end = nullptr;
    const double x = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0')
      throw InputError(file_ + ":" + std::to_string(line_),
                       "expected a number, found '" + word + "'");
    return x;
  }

  /// "Task AppTime MPITime MPI%": a line for each rank; the line "*" is the sum and is skipped.
  void add_task(const std::vector<std::string>& words) {
    if (words.size() != 4 || words[0] == "Task" || words[0] == "*") return;
    number(words[0]);
    ++tasks_;
    app_s_ += number(words[1]);
    mpi_s_ += number(words[2]);
  }

  /// "Name Site Rank Count Max Mean Min App% MPI%": only the line for all ranks (*) is used,
  /// because every report has it, even a report that omits other lines.
  void add_site(const std::vector<std::string>& words) {
    if (words.size() != 9 || words[2] != "*") return;
    constexpr double kMillisecond = 1e-3;
    Operation& operation = operations_[words[0]];
    operation.calls += number(words[3]);
    operation.seconds += number(words[3]) * number(words[5]) * kMillisecond;
  }

  /// "Name Site Rank Count Max Mean Min Sum"
  void add_sent(const std::vector<std::string>& words) {
    if (words.size() != 8 || words[2] != "*") return;
    operations_[words[0]].bytes += number(words[7]);
  }

  std::string file_;
  std::size_t line_ = 0;
  std::string section_;
  bool is_concise_ = false;
  std::string program_;
  int tasks_ = 0;
  double app_s_ = 0;  // summed over all ranks
  double mpi_s_ = 0;
  std::map<std::string, Operation> operations_;
};

}  // namespace

ForeignFile read_mpip(const std::string& text, const std::string& file) {
  Report report(file);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    report.line(line);
  }
  return report.finish();
}

}  // namespace apmt
