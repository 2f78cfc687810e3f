// The doctor: checks what apmt can do on this machine. For everything that apmt cannot do, gives
// the reason and the remedy.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "machine/counter_map.h"
#include "machine/mpi_installation.h"
#include "machine/perf_access.h"

namespace apmt {

/// What the checks depend on, as far as tests can replace it. For the rest, such as the number of
/// cores or PAPI's counts, the checks ask the system.
struct Surroundings {
  std::filesystem::path root = "/";  // of /proc and /sys
  PerfOpen perf_open = system_perf_open;
  std::string search_path;              // PATH
  std::filesystem::path run_dir = ".";  // where recordings would go
  std::filesystem::path configs;        // counter maps
  std::filesystem::path libraries;      // libapmt-*.so
  std::filesystem::path apmt;           // the command itself, for the self test
  std::filesystem::path probes;         // sources for the self test
  bool self_test = true;
};

struct Check {
  /// Limited: runs can be recorded, but with less information. Bad: something is impossible.
  enum class State { kGood, kLimited, kBad, kNotTested };
  std::string id = {};     // for programs: "counters"
  std::string title = {};  // for people: "hardware counters"
  State state = State::kGood;
  std::string what = {};
  std::string remedy = {};                // empty: nothing to be done
  std::vector<std::string> details = {};  // further lines
};
std::string to_string(Check::State state);  // "good", "limited", "bad", "not tested"

struct DoctorReport {
  std::vector<Check> checks;
  std::string grade;            // grade of recorded runs, "A" to "D"; empty: none can be recorded
  std::string simulated_grade;  // grade with simulated counters; empty: not better than `grade`
  std::vector<std::string> raises;  // what would make the grade better
  const Check* find(const std::string& id) const;
  bool meets(const std::string& wanted_grade) const;  // with simulated counters or without
  bool has_bad() const;
};

/// Makes all checks. Calls `on_check` before some of them with a few words about what is checked.
DoctorReport examine(const Surroundings& around,
                     const std::function<void(const std::string&)>& on_check = {});

Json to_json(const DoctorReport& report);
std::string render_doctor_text(const DoctorReport& report);

}  // namespace apmt
