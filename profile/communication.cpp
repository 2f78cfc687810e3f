#include "profile/communication.h"

namespace apmt {
namespace {

constexpr std::int64_t kMaxExact = 9007199254740992;  // 2^53
constexpr std::int64_t kMaxRanks = 2147483647;

std::uint64_t count(const JsonAt& json) {
  return static_cast<std::uint64_t>(json.integer_in(0, kMaxExact));
}

std::optional<double> share(const JsonAt& json, const char* name) {
  const std::optional<double> value = json.number_or_null(name);
  if (value && *value < 0) json.at(name).fail("a number that is not negative");
  return value;
}

Json operation_to_json(const MpiOperation& o) {
  return {{"op", o.op},
          {"op_class", o.op_class},
          {"comm_size", o.comm_size},
          {"size_class", o.size_class},
          {"calls", o.calls},
          {"bytes_sent", o.bytes_sent},
          {"bytes_received", o.bytes_received},
          {"time_s", o.time_s},
          {"low_s", json_or_null(o.low_s)},
          {"transfer_s", json_or_null(o.transfer_s)},
          {"transfer_from", o.transfer_from.empty() ? Json(nullptr) : Json(o.transfer_from)},
          {"completed", o.completed},
          {"flight_s", o.flight_s},
          {"min_flight_s", json_or_null(o.min_flight_s)},
          {"blocked_s", o.blocked_s}};
}

MpiOperation operation_from(const JsonAt& json) {
  MpiOperation o;
  o.op = json.at("op").string();
  o.op_class = json.at("op_class").string();
  o.comm_size = json.at("comm_size").integer_in(0, kMaxRanks);
  o.size_class = static_cast<int>(json.at("size_class").integer_in(0, 64));
  o.calls = count(json.at("calls"));
  o.bytes_sent = count(json.at("bytes_sent"));
  o.bytes_received = count(json.at("bytes_received"));
  o.time_s = json.at("time_s").non_negative();
  o.low_s = share(json, "low_s");
  o.transfer_s = share(json, "transfer_s");
  if (o.transfer_s) o.transfer_from = json.at("transfer_from").string();
  o.completed = count(json.at("completed"));
  o.flight_s = json.at("flight_s").non_negative();
  if (json.find("min_flight_s")) o.min_flight_s = share(json, "min_flight_s");
  o.blocked_s = json.at("blocked_s").non_negative();
  return o;
}

Json pattern_to_json(const Pattern& p) {
  if (p.kind.empty()) return nullptr;
  return {{"kind", p.kind},         {"dims", p.dims},
          {"periodic", p.periodic}, {"diagonals", p.diagonals},
          {"one_way", p.one_way},   {"master", p.master < 0 ? Json(nullptr) : Json(p.master)}};
}

Pattern pattern_from(const JsonAt& json) {
  Pattern p;
  p.kind = json.at("kind").string();
  json.at("dims").for_each(
      [&](const JsonAt& n) { p.dims.push_back(static_cast<int>(n.integer_in(1, kMaxRanks))); });
  json.at("periodic").for_each([&](const JsonAt& b) { p.periodic.push_back(b.boolean()); });
  if (p.periodic.size() != p.dims.size())
    json.at("periodic").fail("one entry per dimension (" + std::to_string(p.dims.size()) + ")");
  p.diagonals = json.at("diagonals").boolean();
  p.one_way = json.at("one_way").boolean();
  if (const auto master = json.find("master"))
    p.master = static_cast<int>(master->integer_in(0, kMaxRanks));
  return p;
}

}  // namespace

Json to_json(const Communication& c) {
  Json operations = Json::array();
  for (const MpiOperation& o : c.operations) operations.push_back(operation_to_json(o));
  return {{"operations", std::move(operations)},
          {"bf_comm", json_or_null(c.bf_comm)},
          {"coll_wait_s", json_or_null(c.coll_wait_s)},
          {"coll_wait_coverage", json_or_null(c.coll_wait_coverage)},
          {"pattern", pattern_to_json(c.pattern)},
          {"pop",
           {{"load_balance", json_or_null(c.pop.load_balance)},
            {"communication", json_or_null(c.pop.communication)},
            {"parallel", json_or_null(c.pop.parallel)},
            {"transfer", json_or_null(c.pop.transfer)},
            {"serialisation", json_or_null(c.pop.serialisation)}}}};
}

Communication communication_from(const JsonAt& json) {
  Communication c;
  json.at("operations").for_each([&](const JsonAt& o) {
    c.operations.push_back(operation_from(o));
  });
  c.bf_comm = share(json, "bf_comm");
  c.coll_wait_s = share(json, "coll_wait_s");
  c.coll_wait_coverage = share(json, "coll_wait_coverage");
  if (const auto pattern = json.find("pattern")) c.pattern = pattern_from(*pattern);
  const JsonAt pop = json.at("pop");
  c.pop = {share(pop, "load_balance"), share(pop, "communication"), share(pop, "parallel"),
           share(pop, "transfer"), share(pop, "serialisation")};
  return c;
}

}  // namespace apmt
