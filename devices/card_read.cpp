// Reads a card. Unknown names are errors; otherwise a misspelt figure would count as not published.
#include <algorithm>
#include <cmath>

#include "base/input_error.h"
#include "devices/card_figures.h"
#include "devices/machine_card.h"
#include "machine/yaml_json.h"

namespace apmt::devices {
namespace {

constexpr std::size_t kMostPoints = 1000;
constexpr std::size_t kMostLevels = 16;
constexpr double kMost = 1e30;  // products of a few figures stay finite

void only_names(const JsonAt& at, const std::vector<std::string>& known) {
  at.for_each_member([&](const std::string& name, const JsonAt& value) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    std::string names;
    for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
    value.fail("one of: " + names);
  });
}

double positive(const JsonAt& at) {
  const double value = at.number();
  if (!(value > 0) || value > kMost) at.fail("a number above 0");
  return value;
}

class CardReader {
 public:
  explicit CardReader(const JsonAt& at) : at_(at) {}

  Device read() {
    std::vector<std::string> known = {"format", "format_version", "name",        "kind",
                                      "note",   "sources",        "rates",       "levels",
                                      "idioms", "to_device",      "from_device", "$schema"};
    for (const FigureField& f : kFigures) known.emplace_back(f.name);
    only_names(at_, known);
    device_.name = at_.at("name").string();
    if (device_.name.empty()) at_.at("name").fail("the name of the device");
    device_.kind = at_.at("kind").string();
    if (device_.kind != "cpu" && device_.kind != "gpu" && device_.kind != "accelerator")
      at_.at("kind").fail("cpu, gpu or accelerator");
    if (const auto note = at_.find("note")) device_.note = note->string();
    read_sources();
    for (const FigureField& f : kFigures) device_.*f.member = figure(at_, f.name, f.is_whole);
    if (const auto rates = at_.find("rates")) {
      only_names(*rates, {"double", "single"});
      read_rates(*rates, "double", &device_.in_double);
      read_rates(*rates, "single", &device_.in_single);
    }
    read_levels();
    read_transfer("to_device", &device_.to_device);
    read_transfer("from_device", &device_.from_device);
    if (const auto idioms = at_.find("idioms")) {
      only_names(*idioms, {kIdioms.begin(), kIdioms.end()});
      for (const char* idiom : kIdioms)
        if (const auto found = idioms->find(idiom)) device_.idioms[idiom] = curve(*found);
    }
    check_rates();
    return std::move(device_);
  }

 private:
  void read_sources() {
    at_.at("sources").for_each_member([&](const std::string& name, const JsonAt& at) {
      only_names(at, {"kind", "address", "publisher", "note"});
      CardSource source;
      source.kind = at.at("kind").string();
      if (const auto note = at.find("note")) source.note = note->string();
      if (source.kind == "published") {
        source.address = at.at("address").string();
        source.publisher = at.at("publisher").string();
        if (source.publisher != "vendor" && source.publisher != "other")
          at.at("publisher").fail("vendor or other");
        if (source.address.empty()) at.at("address").fail("the address of the document");
      } else if (source.kind != "measured" && source.kind != "assumed") {
        at.at("kind").fail("published, measured or assumed");
      }
      device_.sources[name] = std::move(source);
    });
  }

  Origin origin(const JsonAt& at) {
    Origin origin{.from = at.at("from").string(), .line = {}};
    const auto source = device_.sources.find(origin.from);
    if (source == device_.sources.end()) at.at("from").fail("the name of one of the sources");
    if (const auto line = at.find("line")) origin.line = line->string();
    if (source->second.kind == "published" && origin.line.empty())
      at.fail("the line that it was read from, as line");
    return origin;
  }

  MaybeFigure figure(const JsonAt& parent, const std::string& name, bool is_whole = false) {
    const auto at = parent.find(name);
    if (!at) return std::nullopt;
    only_names(*at, {"value", "spread", "from", "line"});
    CardFigure figure;
    figure.value = positive(at->at("value"));
    if (is_whole && figure.value != std::floor(figure.value))
      at->at("value").fail("a whole number");
    if (const auto spread = at->find("spread")) figure.spread = spread->non_negative();
    figure.origin = origin(*at);
    return figure;
  }

  void read_rates(const JsonAt& parent, const char* precision, Rates* rates) {
    const auto at = parent.find(precision);
    if (!at) return;
    std::vector<std::string> known;
    for (const RateField& f : kRates) known.emplace_back(f.name);
    only_names(*at, known);
    for (const RateField& f : kRates)
      if (const auto pair = at->find(f.name)) {
        only_names(*pair, {"core", "all"});
        rates->*f.core = figure(*pair, "core");
        rates->*f.all = figure(*pair, "all");
      }
  }

  void read_levels() {
    const auto levels = at_.find("levels");
    if (!levels) return;
    double size_before = 0;
    bool is_memory = false;
    levels->for_each([&](const JsonAt& at) {
      only_names(at, {"name", "size_bytes", "latency_s", "bytes_per_s"});
      if (is_memory) at.fail("nothing after the memory, the level without a size");
      if (device_.levels.size() == kMostLevels) at.fail("at most 16 levels");
      CardLevel level{.name = at.at("name").string(),
                      .size_bytes = figure(at, "size_bytes", true),
                      .latency_s = figure(at, "latency_s"),
                      .bytes_per_s = figure(at, "bytes_per_s")};
      is_memory = !level.size_bytes;
      if (level.size_bytes && level.size_bytes->value <= size_before)
        at.at("size_bytes").fail("more than the level before it has");
      if (level.size_bytes) size_before = level.size_bytes->value;
      device_.levels.push_back(std::move(level));
    });
  }

  void read_transfer(const char* name, Transfer* transfer) {
    const auto at = at_.find(name);
    if (!at) return;
    only_names(*at, {"latency_s", "bytes_per_s", "curve"});
    transfer->latency_s = figure(*at, "latency_s");
    transfer->bytes_per_s = figure(*at, "bytes_per_s");
    if (const auto found = at->find("curve")) transfer->curve = curve(*found);
  }

  Curve curve(const JsonAt& at) {
    only_names(at, {"from", "line", "points", "pieces"});
    Curve curve;
    curve.origin = origin(at);
    const auto points = at.find("points"), pieces = at.find("pieces");
    if (points.has_value() == pieces.has_value()) at.fail("either points or pieces");
    if (points) points->for_each([&](const JsonAt& one) { read_point(one, &curve.points); });
    if (pieces) pieces->for_each([&](const JsonAt& one) { read_piece(one, &curve.pieces); });
    if (curve.points.empty() && curve.pieces.empty()) at.fail("at least one point or piece");
    if (pieces) check_pieces(*pieces, curve.pieces);
    return curve;
  }

  static void read_point(const JsonAt& at, std::vector<Curve::Point>* points) {
    const std::vector<double> n = at.non_negative_numbers();
    if (n.size() < 2 || n.size() > 3 || !(n[0] > 0) || !(n[1] > 0) || n[0] > kMost || n[1] > kMost)
      at.fail("[bytes, bytes per second, spread], the first two above 0");
    if (!points->empty() && n[0] <= points->back().bytes) at.fail("more bytes than before");
    if (points->size() == kMostPoints) at.fail("at most 1000 points");
    points->push_back({n[0], n[1], n.size() == 3 ? n[2] : 0});
  }

  static void read_piece(const JsonAt& at, std::vector<Curve::Piece>* pieces) {
    only_names(at, {"from_bytes", "per_log_bytes_per_s", "constant_bytes_per_s"});
    Curve::Piece piece{.from_bytes = positive(at.at("from_bytes")),
                       .per_log = at.number_or_null("per_log_bytes_per_s").value_or(0),
                       .constant = at.at("constant_bytes_per_s").number()};
    if (std::abs(piece.per_log) > kMost || std::abs(piece.constant) > kMost)
      at.fail("figures of a real device");
    if (!pieces->empty() && piece.from_bytes <= pieces->back().from_bytes)
      at.fail("more bytes than before");
    if (pieces->size() == kMostPoints) at.fail("at most 1000 pieces");
    pieces->push_back(piece);
  }

  /// Checks that the pieces of a curve give bandwidths above zero. It is enough to check both ends
  /// of a piece, because a logarithm is monotone.
  static void check_pieces(const JsonAt& at, const std::vector<Curve::Piece>& pieces) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Curve::Piece& p = pieces[i];
      const bool is_last = i + 1 == pieces.size();
      const double end = is_last ? p.from_bytes : pieces[i + 1].from_bytes;
      if (!(p.per_log * std::log(p.from_bytes) + p.constant > 0) ||
          !(p.per_log * std::log(end) + p.constant > 0) || (is_last && p.per_log < 0))
        at.fail("pieces with a bandwidth above 0 at every size from from_bytes on");
    }
  }

  /// The rate of all cores must not be below that of one core.
  void check_rates() {
    for (const Rates* rates : {&device_.in_double, &device_.in_single})
      for (const RateField& f : kRates) {
        const MaybeFigure &core = rates->*f.core, &all = rates->*f.all;
        if (core && all && all->value < core->value * (1 - 1e-9))
          at_.at("rates").fail("no smaller rate of all cores than of one");
      }
  }

  JsonAt at_;
  Device device_;
};

}  // namespace

Device read_device(const std::filesystem::path& file) {
  Device device;
  if (yaml_format(file) == "apmt-machine") {
    device = device_of(read_machine_profile(file));
  } else {
    const Json root = read_yaml_file(file, "apmt-device", 1);
    device = CardReader(JsonAt(root, file.string())).read();
  }
  device.label = file.stem().string();
  return device;
}

}  // namespace apmt::devices
