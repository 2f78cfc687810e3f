#include "fitter/model/model_parts.h"

#include <algorithm>

namespace apmt {

const char* key(Part part) {
  switch (part) {
    case Part::kComp:
      return "comp_s";
    case Part::kCommP2p:
      return "comm_p2p_s";
    case Part::kCommColl:
      return "comm_coll_s";
    case Part::kCommWait:
      return "comm_wait_s";
    case Part::kCommOther:
      return "comm_other_s";
    case Part::kOffCpu:
      return "off_cpu_s";
    case Part::kStart:
      return "start_s";
    case Part::kEnd:
      break;
  }
  return "end_s";
}

std::string comm_name(Part part) {
  switch (part) {
    case Part::kCommP2p:
      return "p2p";
    case Part::kCommColl:
      return "coll";
    case Part::kCommWait:
      return "wait";
    case Part::kCommOther:
      return "other";
    default:
      return "";
  }
}

const char* words(Part part) {
  switch (part) {
    case Part::kComp:
      return "computation";
    case Part::kCommP2p:
      return "point-to-point communication";
    case Part::kCommColl:
      return "collectives";
    case Part::kCommWait:
      return "waiting in MPI";
    case Part::kCommOther:
      return "other MPI calls";
    case Part::kOffCpu:
      return "time off the CPU";
    case Part::kStart:
      return "starting";
    case Part::kEnd:
      break;
  }
  return "ending";
}

const std::optional<Measured>& measured_part(const MeasuredParts& parts, Part part) {
  switch (part) {
    case Part::kComp:
      return parts.comp_s;
    case Part::kCommP2p:
      return parts.comm_p2p_s;
    case Part::kCommColl:
      return parts.comm_coll_s;
    case Part::kCommWait:
      return parts.comm_wait_s;
    case Part::kCommOther:
      return parts.comm_other_s;
    case Part::kOffCpu:
      return parts.off_cpu_s;
    case Part::kStart:
      return parts.start_s;
    case Part::kEnd:
      break;
  }
  return parts.end_s;
}

bool has_part(const Model& model, Part part) { return !laws_of(model, part).empty(); }

bool is_nothing_alone(const Model& model, Part part) {
  if (part == Part::kCommWait) return true;
  if (comm_name(part).empty()) return false;
  bool is_known = false;
  for (const ModelPoint& point : model.points) {
    if (point.procs != 1) continue;
    const std::optional<Measured>& measured = measured_part(point.parts, part);
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
  const auto add = [&](const std::optional<TimeLaw>& law, const std::string& group) {
    if (law) laws.push_back({&*law, nullptr, group});
  };
  switch (part) {
    case Part::kComp:
      for (const KernelModel& kernel : model.kernels) laws.push_back({&kernel.law, &kernel, {}});
      break;
    case Part::kOffCpu:
      add(model.off_cpu.law, {});
      break;
    case Part::kStart:
      add(model.start.law, {});
      break;
    case Part::kEnd:
      add(model.end.law, {});
      break;
    default:
      for (const CommModel& c : model.comm)
        if (c.part == comm_name(part)) add(c.law, c.group);
  }
  return laws;
}

}  // namespace apmt
