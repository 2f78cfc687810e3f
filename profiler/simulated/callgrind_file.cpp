#include "profiler/simulated/callgrind_file.h"

#include <charconv>
#include <cstdio>
#include <fstream>
#include <string_view>

#include "base/input_error.h"

namespace apmt {
namespace {

constexpr const char* kHint =
    "the simulated run was interrupted, or another version of callgrind wrote it";

/// callgrind's table of names: "(3) name" gives number 3 a name, "(3)" refers to it later. Objects,
/// files and functions each have their own table.
class Names {
 public:
  std::string resolve(std::string_view text) {
    if (!text.starts_with('(')) return std::string(text);
    const std::size_t close = text.find(')');
    if (close == std::string_view::npos) return std::string(text);
    std::string& name = names_[std::string(text.substr(1, close - 1))];
    if (close + 2 < text.size()) name = text.substr(close + 2);
    return name;
  }

 private:
  std::map<std::string, std::string> names_;
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(' ', at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

class Parser {
 public:
  explicit Parser(const std::filesystem::path& path) : path_(path), in_(path) {
    if (!in_) throw InputError(path.string(), "cannot be read");
  }

  CallgrindProfile parse() {
    std::string line;
    while (std::getline(in_, line)) {
      ++line_number_;
      if (!line.empty()) take(line);
    }
    check();
    return std::move(profile_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(path_.string() + ":" + std::to_string(line_number_), what, kHint);
  }

  void take(std::string_view line) {
    const char first = line.front();
    if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*')
      return take_cost(line);
    const std::size_t mark = line.find_first_of("=:");
    if (mark == std::string_view::npos) return;
    const std::string_view key = line.substr(0, mark);
    std::string_view value = line.substr(mark + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    if (line[mark] == '=')
      take_position(key, value);
    else
      take_header(key, value);
  }

  void take_header(std::string_view key, std::string_view value) {
    if (key == "events") {
      if (!profile_.events.empty()) fail("a second list of events");
      for (const std::string_view word : words_of(value)) profile_.events.emplace_back(word);
    }
    if (key == "positions") positions_ = words_of(value).size();
    if (key == "totals") profile_.totals = numbers(words_of(value), 0);
    unsigned long long calls = 0;
    if (key == "desc" && std::sscanf(std::string(value).c_str(),
                                     "Trigger: Client Request: apmt rank %d of %d calls %llu",
                                     &profile_.rank, &profile_.ranks, &calls) == 3) {
      profile_.window_calls = calls;
      is_labelled_ = true;
    }
    if (key == "desc" &&
        std::sscanf(std::string(value).c_str(), "Trigger: Client Request: apmt all of %d ranks",
                    &profile_.ranks) == 1)
      is_labelled_ = profile_.is_of_all_ranks = true;
  }

  void take_position(std::string_view key, std::string_view value) {
    if (key == "ob") object_ = objects_.resolve(value);
    if (key == "cob") objects_.resolve(value);
    if (key == "fl") source_ = files_.resolve(value);
    // Inlined code (fi, fe) belongs to the function that contains it, so its file is only added to
    // the table.
    if (key == "fi" || key == "fe" || key == "cfi" || key == "cfl") files_.resolve(value);
    if (key == "cfn") functions_.resolve(value);
    if (key == "fn") {
      if (profile_.events.empty()) fail("a function before the list of events");
      std::string name = functions_.resolve(value);
      current_ = &profile_.costs[{object_, std::move(name), source_ == "???" ? "" : source_}];
      current_->resize(profile_.events.size());
    }
    // The next line has the costs of the called function. It is skipped, because the costs are also
    // listed with that function.
    if (key == "calls") skip_next_cost_ = true;
  }

  void take_cost(std::string_view line) {
    if (std::exchange(skip_next_cost_, false)) return;
    if (current_ == nullptr) fail("costs without a function");
    const std::vector<std::uint64_t> costs = numbers(words_of(line), positions_);
    for (std::size_t e = 0; e < costs.size(); ++e) (*current_)[e] += costs[e];
  }

  /// Converts the words from index `from` on. callgrind omits zeros at the end of a line.
  std::vector<std::uint64_t> numbers(const std::vector<std::string_view>& words,
                                     std::size_t from) const {
    if (words.size() > from + profile_.events.size()) fail("more numbers than events");
    std::vector<std::uint64_t> out(profile_.events.size(), 0);
    for (std::size_t w = from; w < words.size(); ++w) {
      const char* const end = words[w].data() + words[w].size();
      const auto [stop, error] = std::from_chars(words[w].data(), end, out[w - from]);
      if (error != std::errc() || stop != end) fail("not a number: " + std::string(words[w]));
    }
    return out;
  }

  void check() const {
    if (profile_.events.empty()) fail("this is not a file of callgrind");
    if (!is_labelled_ || profile_.rank < 0 || profile_.rank >= profile_.ranks)
      fail("the file does not contain the rank");
    if (profile_.totals.size() != profile_.events.size()) fail("the end of the file is missing");
    for (std::size_t e = 0; e < profile_.events.size(); ++e) {
      std::uint64_t sum = 0;
      for (const auto& [function, costs] : profile_.costs) sum += costs[e];
      if (sum != profile_.totals[e])
        fail("the functions' " + profile_.events[e] + " add up to " + std::to_string(sum) +
             ", not to " + std::to_string(profile_.totals[e]));
    }
  }

  std::filesystem::path path_;
  std::ifstream in_;
  std::size_t line_number_ = 0;
  CallgrindProfile profile_;
  Names objects_, files_, functions_;
  std::string object_, source_;
  std::vector<std::uint64_t>* current_ = nullptr;
  std::size_t positions_ = 1;
  bool skip_next_cost_ = false;
  bool is_labelled_ = false;
};

}  // namespace

CallgrindProfile read_callgrind_file(const std::filesystem::path& path) {
  return Parser(path).parse();
}

}  // namespace apmt
