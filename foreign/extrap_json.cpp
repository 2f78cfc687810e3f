// Reads Extra-P's own JSON, in its present form and in the older one with numbered entries.

#include <map>

#include "base/checked_json.h"
#include "foreign/files.h"

namespace apmt {
namespace {

using Numbered = std::map<std::int64_t, std::string>;
using Point = std::map<std::string, double>;

constexpr std::int64_t kMost = 1 << 30;

std::int64_t id_in(const JsonAt& json, const char* key) {
  return json.at(key).integer_in(0, kMost);
}

Numbered names_of(const JsonAt& list) {
  Numbered names;
  list.for_each([&](const JsonAt& one) { names[id_in(one, "id")] = one.at("name").string(); });
  return names;
}

template <typename T>
const T& known(const std::map<std::int64_t, T>& all, const JsonAt& json, const char* key) {
  const auto found = all.find(id_in(json, key));
  if (found == all.end()) json.at(key).fail("the id of one that the file has");
  return found->second;
}

/// {"callpaths": [{"id", "name"}], "coordinates": [...], "measurements": [{"coordinate_id", ...}]}
std::vector<ForeignValues> numbered_form(const JsonAt& json) {
  const Numbered callpaths = names_of(json.at("callpaths"));
  const Numbered metrics = names_of(json.at("metrics"));
  const Numbered parameters = names_of(json.at("parameters"));
  std::map<std::int64_t, Point> points;
  json.at("coordinates").for_each([&](const JsonAt& coordinate) {
    Point& point = points[id_in(coordinate, "id")];
    coordinate.at("parameter_value_pairs").for_each([&](const JsonAt& pair) {
      point[known(parameters, pair, "parameter_id")] = pair.at("parameter_value").number();
    });
  });
  std::vector<ForeignValues> list;  // one entry for each value; profiles_from() joins them
  json.at("measurements").for_each([&](const JsonAt& m) {
    list.push_back({known(callpaths, m, "callpath_id"),
                    known(metrics, m, "metric_id"),
                    known(points, m, "coordinate_id"),
                    {m.at("value").number()}});
  });
  return list;
}

/// The values of the repetitions. If the file has only statistics of them, minimum, median and
/// maximum are used as three repetitions. These have the same median and about the same deviation
/// as five repetitions, because the extremes of five normal values are expected at 1.16 sigma from
/// the median.
std::vector<double> values_of(const JsonAt& measurement) {
  std::vector<double> values;
  if (measurement.find("median") && measurement.find("minimum") && measurement.find("maximum")) {
    for (const char* key : {"minimum", "median", "maximum"})
      values.push_back(measurement.at(key).number());
    if (values.front() == values.back()) values.resize(1);
  } else {
    measurement.at("values").for_each([&](const JsonAt& x) { values.push_back(x.number()); });
  }
  return values;
}

/// {"parameters": [names], "measurements": {callpath: {metric: [{"point": [], "values": []}]}}}; in
/// a saved experiment the point is called "coordinate".
std::vector<ForeignValues> named_form(const JsonAt& json) {
  std::vector<std::string> parameters;
  json.at("parameters").for_each([&](const JsonAt& p) { parameters.push_back(p.string()); });
  std::vector<ForeignValues> list;
  json.at("measurements").for_each_member([&](const std::string& callpath, const JsonAt& metrics) {
    metrics.for_each_member([&](const std::string& metric, const JsonAt& measurements) {
      measurements.for_each([&](const JsonAt& measurement) {
        ForeignValues v{callpath, metric, {}, {}};
        std::size_t i = 0;
        const char* point = measurement.find("coordinate") ? "coordinate" : "point";
        measurement.at(point).for_each([&](const JsonAt& x) {
          if (i < parameters.size()) v.params[parameters[i]] = x.number();
          ++i;
        });
        if (i != parameters.size())
          measurement.at(point).fail("one number for each of the parameters (" +
                                     std::to_string(parameters.size()) + ")");
        v.values = values_of(measurement);
        list.push_back(std::move(v));
      });
    });
  });
  return list;
}

}  // namespace

ForeignFile read_extrap_json(const std::string& text, const std::string& file) {
  const Json document = parse_json(text, file);
  const JsonAt json(document, file);
  return {"", json.find("callpaths") ? numbered_form(json) : named_form(json)};
}

}  // namespace apmt
