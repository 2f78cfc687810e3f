// `apmt offload --json` (docs/schemas/offload.schema.json).
#include "devices/device_time_json.h"
#include "devices/offload/offload.h"

namespace apmt::devices {
namespace {

Json json_of(const TimeEstimate& t) {
  return {{"time_s", t.time_s}, {"low_s", t.low_s}, {"high_s", t.high_s}};
}

Json json_of(const std::optional<PortedProgram>& program) {
  if (!program) return {};
  return {{"time", json_of(program->time)},
          {"speedup", program->speedup.value},
          {"speedup_interval", {program->speedup.low, program->speedup.high}}};
}

Json json_of(const KernelPort& port, const std::vector<PortableKernel>& kernels) {
  Json required;
  if (port.required)
    required = {{"equally_s", json_or_null(port.required->equally_s)},
                {"others_best_s", json_or_null(port.required->others_best_s)}};
  return {{"function", kernels[port.kernel].function},
          {"name", kernels[port.kernel].name},
          {"place", kernels[port.kernel].place},
          {"host", json_of(port.host)},
          {"device_s", json_or_null(port.device_s)},
          {"device_range_s",
           port.device_range ? Json{port.device_range->low_s, port.device_range->high_s} : Json()},
          {"one_rank", port.device_s ? json_of(port.parts) : Json()},
          {"bottleneck", port.device_s ? Json(port.parts.bottleneck()) : Json()},
          {"extrapolation", port.extrapolation},
          {"worth_it", port.is_worth_it},
          {"worth_it_unshared", port.is_worth_it_unshared},
          {"alone", json_of(port.alone)},
          {"after", json_of(port.after)},
          {"required", required},
          {"why_not", port.why_not.empty() ? Json() : Json(port.why_not)},
          {"notes", port.notes}};
}

Json json_of(const OffloadAt& at, const std::vector<PortableKernel>& kernels) {
  Json ports = Json::array();
  for (const KernelPort& port : at.ports) ports.push_back(json_of(port, kernels));
  return {{"procs", at.procs},
          {"params", at.params},
          {"work_per_rank", at.work_per_rank},
          {"ranks_per_device", at.ranks_per_device},
          {"host", json_of(at.host)},
          {"ported", json_of(std::optional(at.ported))},
          {"mpi_transfer_s", at.transfer_s},
          {"most_shared_transfer_s", at.shared_s},
          {"most_speedup", json_or_null(at.most_speedup)},
          {"equal_factor", json_or_null(at.equal_factor)},
          {"kernels", ports}};
}

}  // namespace

Json to_json(const Offload& o) {
  Json at = Json::array();
  for (const OffloadAt& each : o.at) at.push_back(json_of(each, o.kernels));
  return {{"format", "apmt-offload"},
          {"format_version", "1.0"},
          {"program", o.program},
          {"device", {{"label", o.device.label}, {"name", o.device.name}, {"kind", o.device.kind}}},
          {"per_node", o.options.per_node},
          {"ranks_per_node", o.ranks_per_node},
          {"data", name_of(o.options.port.data)},
          {"wanted_speedup", json_or_null(o.options.port.wanted_speedup)},
          {"confidence", o.confidence},
          {"at", at},
          {"gain_end",
           {{"procs", o.gain_end.procs ? Json(o.gain_end.procs->procs) : Json()},
            {"between", interval_of(o.gain_end.procs)},
            {"searched", {o.gain_end.searched_from, o.gain_end.searched_to}},
            {"extrapolation", o.gain_end.extrapolation},
            {"why_not", o.gain_end.why_not.empty() ? Json() : Json(o.gain_end.why_not)}}},
          {"left", o.left},
          {"warnings", o.warnings}};
}

}  // namespace apmt::devices
