#include "reports/profile_export.h"

#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "base/checked_json.h"
#include "reports/call_stacks.h"
#include "reports/numbers.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

/// The name for collapsed stacks, without the characters that separate frames and lines there.
std::string frame_text(std::string name) {
  for (char& c : name)
    if (c == ';' || c == '\n') c = ':';
  return name;
}

/// The value of a label, escaped for Prometheus' text format.
std::string label(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

}  // namespace

std::string render_collapsed(const RunProfile& profile) {
  std::string text;
  for (const auto& [frames, seconds] : call_stacks(profile)) {
    const auto us = static_cast<long long>(std::llround(seconds * 1e6));
    if (us < 1) continue;  // the weights of collapsed stacks are whole numbers
    std::string line;
    for (const std::string& frame : frames) line += (line.empty() ? "" : ";") + frame_text(frame);
    text += line + " " + std::to_string(us) + "\n";
  }
  return text;
}

std::string render_speedscope(const RunProfile& profile) {
  Json frames = Json::array();
  std::map<std::string, std::size_t> index_of;
  Json samples = Json::array();
  Json weights = Json::array();
  double end = 0;
  for (const auto& [stack, seconds] : call_stacks(profile)) {
    Json sample = Json::array();
    for (const std::string& frame : stack) {
      const auto [place, is_new] = index_of.emplace(frame, frames.size());
      if (is_new) frames.push_back({{"name", frame}});
      sample.push_back(place->second);
    }
    samples.push_back(std::move(sample));
    weights.push_back(seconds);
    end += seconds;
  }
  const bool is_imported = profile.sampling.source == kImported;
  const std::string ranks = is_imported ? ", mean over ranks" : ", all ranks";
  return format_json({{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                      {"exporter", "apmt"},
                      {"name", profile.program},
                      {"activeProfileIndex", 0},
                      {"shared", {{"frames", std::move(frames)}}},
                      {"profiles", Json::array({{{"type", "sampled"},
                                                 {"name", profile.program + ranks},
                                                 {"unit", "seconds"},
                                                 {"startValue", 0},
                                                 {"endValue", end},
                                                 {"samples", std::move(samples)},
                                                 {"weights", std::move(weights)}}})}});
}

std::string render_hatchet(const RunProfile& profile) {
  using Stack = std::vector<std::string>;
  std::map<Stack, std::pair<double, double>> frames;  // exclusive and inclusive seconds
  frames[{profile.program}];
  for (const auto& [stack, seconds] : call_stacks(profile)) {
    frames[stack].first += seconds;
    for (std::size_t depth = 1; depth <= stack.size(); ++depth)
      frames[Stack(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(depth))].second +=
          seconds;
  }
  std::map<Stack, std::size_t> number_of;  // parents before children
  for (const auto& [stack, seconds] : frames) number_of.emplace(stack, number_of.size());
  Json graph = Json::object();
  Json rows = Json::array();
  for (const auto& [stack, seconds] : frames) {
    const std::size_t number = number_of.at(stack);
    const std::string& name = stack.back();
    graph[std::to_string(number)] = {{"data", {{"name", name}, {"type", "function"}}},
                                     {"children", Json::array()}};
    rows.push_back({{"node", number},
                    {"name", name},
                    {"time", seconds.first},
                    {"time (inc)", seconds.second}});
    if (stack.size() > 1) {
      const Stack parent(stack.begin(), stack.end() - 1);
      graph[std::to_string(number_of.at(parent))]["children"].push_back(number);
    }
  }
  return format_json({{"graph", Json::array({std::move(graph)})},
                      {"dataframe_indices", Json::array({"node"})},
                      {"dataframe", std::move(rows)},
                      {"exclusive_metrics", Json::array({"time"})},
                      {"inclusive_metrics", Json::array({"time (inc)"})}});
}

std::string render_prometheus(const Model& model, const std::vector<Prediction>& predictions) {
  std::string text;
  const std::string program = "program=\"" + label(model.program) + "\"";
  const auto head = [&](const char* name, const char* help) {
    text += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " gauge\n";
  };
  const auto line = [&](const char* name, const std::string& labels, double value) {
    text += std::string(name) + "{" + labels + "} " + format_exact(value) + "\n";
  };
  const auto at = [&](const Prediction& p) {
    std::string labels = program + ",procs=\"" + std::to_string(p.procs) + "\"";
    for (const auto& [name, value] : p.params)
      labels += "," + ("size_" + name) + "=\"" + format_number(value) + "\"";
    return labels;
  };
  head("apmt_predicted_seconds", "Predicted elapsed time, the parts that are known.");
  for (const Prediction& p : predictions) line("apmt_predicted_seconds", at(p), p.time.time_s);
  head("apmt_predicted_low_seconds", "Lower end of its interval.");
  for (const Prediction& p : predictions) line("apmt_predicted_low_seconds", at(p), p.time.low_s);
  head("apmt_predicted_high_seconds", "Upper end of its interval.");
  for (const Prediction& p : predictions) line("apmt_predicted_high_seconds", at(p), p.time.high_s);
  head("apmt_predicted_kernel_seconds",
       "Parts of kernels that are known: computation, memory; in its own calls messages, waiting.");
  for (const Prediction& p : predictions)
    for (const PredictedKernel& k : p.kernels)
      for (const auto& [part, time] :
           {std::pair("computation", &k.comp), std::pair("memory", &k.mem),
            std::pair("messages", &k.transfer), std::pair("waiting", &k.wait)})
        if (*time)
          line("apmt_predicted_kernel_seconds",
               at(p) + ",kernel=\"" + label(kernel_title(model, model.kernels.at(k.index))) +
                   "\",part=\"" + part + "\"",
               (*time)->time_s);
  head("apmt_predicted_efficiency_ratio",
       "Parallel efficiency against the fewest processes profiled.");
  for (const Prediction& p : predictions)
    if (p.efficiency) line("apmt_predicted_efficiency_ratio", at(p), *p.efficiency);
  if (model.backtest.possible) {
    head("apmt_backtest_error_ratio",
         "Predicted / measured - 1 of the largest profiled process count, from the others.");
    line("apmt_backtest_error_ratio",
         program + ",procs=\"" + std::to_string(model.backtest.procs) + "\"", model.backtest.error);
  }
  head("apmt_profiled_processes", "Largest profiled process count.");
  line("apmt_profiled_processes", program, model.max_procs());
  return text;
}

}  // namespace apmt
