#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "base/words.h"
#include "foreign/data.h"

namespace apmt {
namespace {

[[noreturn]] void fail(const std::string& file, std::size_t line, const std::string& what,
                       const std::string& hint = {}) {
  throw InputError(file + ":" + std::to_string(line), what, hint);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Reads the five sections of Extra-P's text format, line by line.
class TextReader {
 public:
  explicit TextReader(std::string file) : file_(std::move(file)) {}

  void line(const std::string& text) {
    ++line_;
    const std::string content = trimmed(text);
    if (content.empty() || content.front() == '#') return;
    const std::size_t space = content.find_first_of(" \t");
    const std::string tag = content.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : trimmed(content.substr(space));
    if (rest.empty()) fail(file_, line_, tag + " is empty");
    if (tag == "PARAMETER") {
      for (std::string& name : words_of(rest)) params_.push_back(std::move(name));
    } else if (tag == "POINTS") {
      add_points(rest);
    } else if (tag == "METRIC") {
      close_block();
      metric_ = rest;
    } else if (tag == "REGION") {
      close_block();
      callpath_ = rest;
    } else if (tag == "DATA") {
      add_data(rest);
    } else {
      fail(file_, line_, "expected PARAMETER, POINTS, METRIC, REGION or DATA, found '" + tag + "'");
    }
  }

  std::vector<ForeignValues> finish() {
    close_block();
    return std::move(values_);
  }

 private:
  /// The numbers of a line. Brackets are ignored, because the number of parameters determines which
  /// numbers form a point.
  std::vector<double> numbers(std::string text) const {
    for (char& c : text)
      if (c == '(' || c == ')' || c == ',') c = ' ';
    std::vector<double> list;
    for (const std::string& word : words_of(text)) {
      double x = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
      if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(x))
        fail(file_, line_, "expected a number, found '" + word + "'");
      list.push_back(x);
    }
    return list;
  }

  void add_points(const std::string& text) {
    if (params_.empty()) fail(file_, line_, "POINTS before any PARAMETER");
    const std::vector<double> list = numbers(text);
    if (list.size() % params_.size() != 0)
      fail(file_, line_,
           "expected " + counted(params_.size(), "coordinate") + " for each point, found " +
               counted(list.size(), "number"));
    for (std::size_t i = 0; i < list.size(); i += params_.size()) {
      std::map<std::string, double> point;
      for (std::size_t j = 0; j < params_.size(); ++j) point[params_[j]] = list[i + j];
      points_.push_back(std::move(point));
    }
  }

  void add_data(const std::string& text) {
    if (next_point_ == points_.size())
      fail(file_, line_, "more DATA lines than the " + counted(points_.size(), "point"));
    values_.push_back({callpath_, metric_, points_[next_point_++], numbers(text), 0,
                       file_ + ":" + std::to_string(line_)});
  }

  void close_block() {
    if (next_point_ != 0 && next_point_ != points_.size())
      fail(file_, line_,
           "expected a DATA line for each of the " + counted(points_.size(), "point") + ", found " +
               std::to_string(next_point_));
    next_point_ = 0;
  }

  std::string file_;
  std::size_t line_ = 0;
  std::vector<std::string> params_;
  std::vector<std::map<std::string, double>> points_;
  std::string metric_ = "time";
  std::string callpath_;
  std::size_t next_point_ = 0;
  std::vector<ForeignValues> values_;
};

}  // namespace

std::vector<ForeignValues> read_extrap_text(const std::string& text, const std::string& file) {
  TextReader reader(file);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) reader.line(line);
  return reader.finish();
}

std::vector<ForeignValues> read_extrap_json_lines(const std::string& text,
                                                  const std::string& file) {
  std::vector<ForeignValues> list;
  std::istringstream stream(text);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (trimmed(line).empty()) continue;
    const std::string place = file + ":" + std::to_string(number);
    const Json json = parse_json(line, place);
    const JsonAt at(json, place);
    ForeignValues v;
    at.at("params").for_each_member(
        [&](const std::string& name, const JsonAt& value) { v.params[name] = value.number(); });
    if (const std::optional<JsonAt> metric = at.find("metric")) v.metric = metric->string();
    if (v.metric.empty()) v.metric = "time";
    if (const std::optional<JsonAt> callpath = at.find("callpath")) v.callpath = callpath->string();
    const JsonAt value = at.at("value");
    if (json.at("value").is_array())
      value.for_each([&](const JsonAt& x) { v.values.push_back(x.number()); });
    else
      v.values = {value.number()};
    if (v.values.empty())
      fail(file, number, "has no value in 'value'", "leave the line out if nothing was measured");
    v.place = place;
    list.push_back(std::move(v));
  }
  return list;
}

}  // namespace apmt
