#include "machine/doctor.h"

#include <algorithm>

#include "base/search_path.h"
#include "machine/doctor_checks.h"
#include "machine/event_catalog.h"

namespace apmt {
namespace {

using State = Check::State;

bool contains(const std::vector<std::string>& list, const char* what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

/// Grade A needs cycles, instructions, memory accesses and stalls of each kernel; see
/// docs/formats-machines.md.
bool suffices_for_a(const std::vector<std::string>& counted) {
  for (const char* metric : {"cycles", "instructions", "acc_mm", "stall"})
    if (!contains(counted, metric)) return false;
  return true;
}

void decide_grade(const Surroundings& around, const std::vector<std::string>& counted,
                  DoctorReport* report) {
  bool has_mpi = false;
  for (const Check& check : report->checks)
    if (check.id.rfind("mpi-", 0) == 0 && check.id != "mpi-several" && check.state != State::kBad)
      has_mpi = true;
  const bool can_write = report->find("disk")->state != State::kBad;
  const bool samples = report->find("sampling")->state != State::kBad;
  const bool simulates = !find_in_path("valgrind", around.search_path).empty();
  const bool has_counters =
      suffices_for_a(counted) && report->find("sampling")->state == State::kGood;
  if (has_mpi && can_write) report->grade = has_counters ? "A" : !samples ? "D" : "C";
  if (simulates && report->grade > "B") report->simulated_grade = "B";
  if (!has_mpi)
    report->raises.push_back("any grade: an MPI whose programs can be recorded (see MPI above)");
  if (!can_write) report->raises.push_back("any grade: a run directory that can be written");
  if (!samples) report->raises.push_back("C: samples by a timer (see sampling above)");
  if (!has_counters)
    report->raises.push_back(simulates ? "B: simulated counters, by apmt record --counters "
                                         "simulated or apmt simulate; valgrind is here"
                                       : "B: valgrind, to simulate caches once per kernel");
  if (!has_counters) {
    const Check& counters = *report->find("counters");
    report->raises.push_back(
        "A: " + (counters.state == State::kGood
                     ? std::string("counters of cycles, instructions, memory accesses and "
                                   "stalls that count (see events above)")
                     : "hardware counters: " + counters.remedy));
  }
}

}  // namespace

std::string to_string(Check::State state) {
  switch (state) {
    case State::kGood:
      return "good";
    case State::kLimited:
      return "limited";
    case State::kBad:
      return "bad";
    case State::kNotTested:
      break;
  }
  return "not tested";
}

const Check* DoctorReport::find(const std::string& id) const {
  for (const Check& check : checks)
    if (check.id == id) return &check;
  return nullptr;
}

bool DoctorReport::meets(const std::string& wanted_grade) const {
  return (!grade.empty() && grade <= wanted_grade) ||
         (!simulated_grade.empty() && simulated_grade <= wanted_grade);
}

bool DoctorReport::has_bad() const {
  return std::any_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.state == State::kBad; });
}

DoctorReport examine(const Surroundings& around,
                     const std::function<void(const std::string&)>& on_check) {
  DoctorReport report;
  const auto look_at = [&](const char* what) {
    if (on_check) on_check(what);
  };
  const CpuIdentity cpu = identify_cpu(around.root);
  look_at("hardware counters");
  report.checks.push_back(check_processor(around, cpu));
  const PerfAccess access =
      examine_hardware_counters(around.perf_open, around.root, cpu.is_virtual);
  report.checks.push_back(check_counters(access));
  look_at("events");
  std::vector<std::string> counted;
  {
    const EventCatalog catalog;
    const ChosenMap chosen = choose_counter_map(read_counter_maps(around.configs), cpu, catalog);
    report.checks.push_back(check_events(chosen, access, &counted));
  }
  look_at("sampling");
  report.checks.push_back(check_sampling(around, access));
  report.checks.push_back(check_frequency(around));
  report.checks.push_back(check_binding(around));
  report.checks.push_back(check_disk(around));
  report.checks.push_back(check_libraries(around));
  look_at("MPI, with two ranks");
  for (Check& check : check_mpi(around)) report.checks.push_back(std::move(check));
  decide_grade(around, counted, &report);
  return report;
}

}  // namespace apmt
