#include "fitter/model/model_parts.h"

#include <array>

namespace apmt {

namespace {

struct PartNames {
  const char* key;
  const char* words;
  const char* comm_name;
  std::optional<Measured> MeasuredParts::*measured;
};

const PartNames& names_of(Part part) {
  using P = MeasuredParts;
  static constexpr std::array<PartNames, kParts.size()> kNames = {{
      {"comp_s", "computation", "", &P::comp_s},
      {"comm_p2p_s", "point-to-point communication", "p2p", &P::comm_p2p_s},
      {"comm_coll_s", "collectives", "coll", &P::comm_coll_s},
      {"comm_wait_s", "waiting in MPI", "wait", &P::comm_wait_s},
      {"comm_other_s", "other MPI calls", "other", &P::comm_other_s},
      {"off_cpu_s", "time off the CPU", "", &P::off_cpu_s},
      {"start_s", "starting", "", &P::start_s},
      {"end_s", "ending", "", &P::end_s},
  }};
  return kNames.at(static_cast<std::size_t>(part));
}

}  // namespace

const char* key(Part part) { return names_of(part).key; }

std::string comm_name(Part part) { return names_of(part).comm_name; }

const char* words(Part part) { return names_of(part).words; }

std::optional<Measured> MeasuredParts::*measured_part(Part part) { return names_of(part).measured; }

bool has_part(const Model& model, Part part) { return !laws_of(model, part).empty(); }

bool is_nothing_alone(const Model& model, Part part) {
  if (part == Part::kCommWait) return true;
  if (comm_name(part).empty()) return false;
  bool is_known = false;
  for (const ModelPoint& point : model.points) {
    if (point.procs != 1) continue;
    const std::optional<Measured>& measured = point.parts.*measured_part(part);
    if (measured && measured->value > 0) return false;
    is_known = is_known || measured;
  }
  return is_known;
}

std::string LawOfPart::words_of(Part part) const {
  return words(part) + (group.empty() ? std::string() : " (" + group + ")");
}

std::vector<LawOfPart> laws_of(const Model& model, Part part) {
  std::vector<LawOfPart> laws;
  if (part == Part::kComp)
    for (const KernelModel& kernel : model.kernels) laws.push_back({&kernel.law, &kernel});
  const std::string comm = comm_name(part);
  for (const CommModel& c : model.comm)
    if (c.part == comm && c.law) laws.push_back({&*c.law, nullptr, c.group});
  for (const auto& [single, model_of] : {std::pair(Part::kOffCpu, &model.off_cpu),
                                         {Part::kStart, &model.start},
                                         {Part::kEnd, &model.end}})
    if (single == part && model_of->law) laws.push_back({&*model_of->law});
  return laws;
}

}  // namespace apmt
