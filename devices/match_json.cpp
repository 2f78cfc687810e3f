// `apmt match --json` (docs/schemas/match.schema.json).
#include "devices/device_time_json.h"
#include "devices/match.h"

namespace apmt::devices {
namespace {

Json json_of(const IdiomMatch& idiom, const std::vector<Device>& devices) {
  Json seconds = Json::object();
  for (std::size_t i = 0; i < devices.size(); ++i)
    seconds[devices[i].label] = json_or_null(idiom.seconds[i]);
  const auto best = idiom.best();
  return {{"place", idiom.block.place},
          {"idiom", idiom.block.idiom},
          {"references", idiom.block.references},
          {"bytes", idiom.block.bytes},
          {"footprint_bytes", idiom.block.footprint_bytes},
          {"seconds", seconds},
          {"best", best ? Json(devices[*best].label) : Json()}};
}

Json json_of(const KernelMatch& kernel, const std::vector<Device>& devices) {
  Json predictions = Json::array();
  for (std::size_t i = 0; i < kernel.predictions.size(); ++i) {
    const DevicePrediction& p = kernel.predictions[i];
    predictions.push_back(
        {{"device", p.device},
         {"time", p.time ? json_of(*p.time) : Json()},
         {"range_s", p.range ? Json{p.range->low_s, p.range->high_s} : Json()},
         {"probability", json_or_null(p.probability)},
         {"slow_bytes", json_or_null(p.slow_bytes)},
         {"flops_per_s", json_or_null(kernel.flops_per_s(i))},
         {"bottleneck", p.time ? Json(p.time->bottleneck()) : Json()},
         {"relative_cost", json_or_null(kernel.relative_cost(i))},
         {"share", kernel.split && i < kernel.ranked() ? Json(kernel.split->shares[i]) : Json()},
         {"lacks", p.lacks.empty() ? Json() : Json(p.lacks)},
         {"why_not", p.why_not.empty() ? Json() : Json(p.why_not)},
         {"notes", p.notes}});
  }
  Json idioms = Json::array();
  for (const IdiomMatch& idiom : kernel.idioms) idioms.push_back(json_of(idiom, devices));
  Json split;
  if (kernel.split)
    split = {{"seconds", kernel.split->seconds},
             {"gain_over_even", kernel.split->gain_over_even},
             {"gain_over_best", kernel.split->gain_over_best}};
  return {{"function", kernel.function},
          {"name", kernel.name},
          {"place", kernel.place},
          {"invocations", kernel.invocations},
          {"flops", kernel.flops},
          {"predictions", predictions},
          {"idioms", idioms},
          {"split", split}};
}

Json json_of(const Device& device) {
  Json sources = Json::object();
  for (const auto& [name, source] : device.sources)
    sources[name] = {{"kind", source.kind},
                     {"address", source.address.empty() ? Json() : Json(source.address)},
                     {"note", source.note.empty() ? Json() : Json(source.note)}};
  return {
      {"label", device.label}, {"name", device.name}, {"kind", device.kind}, {"sources", sources}};
}

Json json_of(const ProgramIdioms& idioms) {
  Json on_host = Json::array(), ports = Json::array();
  for (const IdiomOnHost& row : idioms.on_host)
    on_host.push_back({{"idiom", row.idiom},
                       {"instances", row.instances},
                       {"seconds", row.seconds},
                       {"coverage", json_or_null(row.coverage)}});
  for (const IdiomPort& port : idioms.ports)
    ports.push_back({{"devices", port.devices},
                     {"blind", port.is_blind},
                     {"instances", port.instances},
                     {"seconds", port.seconds},
                     {"total_s", port.total_s},
                     {"saved_share", json_or_null(port.saved_share)}});
  return {{"on_host", on_host},
          {"host_s", idioms.host_s},
          {"coverage", json_or_null(idioms.coverage)},
          {"ports", ports},
          {"stay", idioms.stay}};
}

}  // namespace

Json to_json(const Match& match) {
  Json devices = Json::array();
  for (const Device& device : match.devices) devices.push_back(json_of(device));
  Json kernels = Json::array();
  for (const KernelMatch& kernel : match.kernels) kernels.push_back(json_of(kernel, match.devices));
  return {{"format", "apmt-match"},
          {"format_version", "1.0"},
          {"program", match.program},
          {"method", kMatchMethods[static_cast<std::size_t>(match.options.method)]},
          {"data", name_of(match.options.data)},
          {"steps", json_or_null(match.options.steps)},
          {"overlap", match.options.do_overlap},
          {"vectorised", json_or_null(match.options.vectorised)},
          {"scatter", json_or_null(match.options.method_scatter())},
          {"host", match.options.host ? json_of(match.options.host->card) : Json()},
          {"devices", devices},
          {"program_idioms", match.program_idioms ? json_of(*match.program_idioms) : Json()},
          {"kernels", kernels}};
}

}  // namespace apmt::devices
