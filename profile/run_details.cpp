#include "profile/run_details.h"

#include <utility>

namespace apmt {
namespace {

constexpr std::pair<const char*, std::optional<double> OwnCost::*> kCosts[] = {
    {"sample_s", &OwnCost::sample_s},         {"delivery_s", &OwnCost::delivery_s},
    {"handler_s", &OwnCost::handler_s},       {"handler_in_run_s", &OwnCost::handler_in_run_s},
    {"task_clock_s", &OwnCost::task_clock_s}, {"mpi_call_s", &OwnCost::mpi_call_s}};

}  // namespace

Json to_json(const std::vector<ThreadRow>& threads) {
  Json list = Json::array();
  for (const ThreadRow& t : threads)
    list.push_back({{"rank", t.rank},
                    {"wall_s", t.wall_s},
                    {"cpu_s", t.cpu_s},
                    {"samples", t.samples},
                    {"cycles", json_or_null(t.cycles)},
                    {"sampled_share", json_or_null(t.sampled_share)},
                    {"main_cpu_s", json_or_null(t.main_cpu_s)},
                    {"main_sampled_s", json_or_null(t.main_sampled_s)}});
  return list;
}

std::vector<ThreadRow> threads_from_json(const JsonAt& json) {
  constexpr std::int64_t kMaxExact = 9007199254740992;  // 2^53
  std::vector<ThreadRow> threads;
  json.for_each([&](const JsonAt& t) {
    ThreadRow row;
    row.rank = static_cast<int>(t.at("rank").integer_in(0, 2147483647));
    row.wall_s = t.at("wall_s").non_negative();
    row.cpu_s = t.at("cpu_s").non_negative();
    row.samples = static_cast<std::uint64_t>(t.at("samples").integer_in(0, kMaxExact));
    row.cycles = t.number_or_null("cycles");
    if (t.find("sampled_share")) row.sampled_share = t.number_or_null("sampled_share");
    if (t.find("main_cpu_s")) row.main_cpu_s = t.number_or_null("main_cpu_s");
    if (t.find("main_sampled_s")) row.main_sampled_s = t.number_or_null("main_sampled_s");
    threads.push_back(row);
  });
  return threads;
}

Json to_json(const std::vector<EventTotal>& totals) {
  Json list = Json::array();
  for (const EventTotal& t : totals)
    list.push_back({{"event", t.event},
                    {"counted", t.counted},
                    {"intervals", t.intervals},
                    {"sampled_share", t.sampled_share}});
  return list;
}

std::vector<EventTotal> event_totals_from_json(const JsonAt& json) {
  std::vector<EventTotal> totals;
  json.for_each([&](const JsonAt& t) {
    totals.push_back({t.at("event").string(), t.at("counted").non_negative(),
                      t.at("intervals").non_negative(), t.at("sampled_share").non_negative()});
  });
  return totals;
}

Json to_json(const OwnCost& cost) {
  Json json = Json::object();
  for (const auto& [name, member] : kCosts) json[name] = json_or_null(cost.*member);
  return json;
}

OwnCost own_cost_from_json(const JsonAt& json) {
  OwnCost cost;
  for (const auto& [name, member] : kCosts)
    if (json.find(name)) cost.*member = json.number_or_null(name);  // some are new
  return cost;
}

}  // namespace apmt
