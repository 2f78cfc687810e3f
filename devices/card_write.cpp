// Writes a card in the form that read_device() reads. Figures have five digits, because
// measurements are not more precise.
#include <charconv>
#include <cmath>

#include "devices/card_doubts.h"
#include "devices/card_figures.h"

namespace apmt::devices {
namespace {

/// Formats a number with five digits. Whole numbers have all their digits, because they are sizes
/// and counts.
std::string number(double value) {
  char text[40];
  const auto short_end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, 5).ptr;
  double again = 0;
  std::from_chars(text, short_end, again);
  if (again == value || std::abs(value) >= 1e15 || value != std::floor(value))
    return {text, short_end};
  return {text, std::to_chars(text, text + sizeof text, static_cast<long long>(value)).ptr};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "\"";
}

std::string origin_of(const Origin& origin) {
  return "from: " + quoted(origin.from) +
         (origin.line.empty() ? "" : ", line: " + quoted(origin.line));
}

std::string text_of(const MaybeFigure& figure) {
  if (!figure) return "null";
  return "{value: " + number(figure->value) +
         (figure->spread > 0 ? ", spread: " + number(figure->spread) : "") + ", " +
         origin_of(figure->origin) + "}";
}

void put_curve(const Curve& curve, const std::string& indent, std::string* out) {
  *out += indent + "from: " + quoted(curve.origin.from) + "\n";
  if (!curve.origin.line.empty()) *out += indent + "line: " + quoted(curve.origin.line) + "\n";
  if (!curve.points.empty()) *out += indent + "points:  # bytes, bytes per second, spread\n";
  for (const Curve::Point& p : curve.points)
    *out += indent + "- [" + number(p.bytes) + ", " + number(p.bytes_per_s) + ", " +
            number(p.spread) + "]\n";
  if (!curve.pieces.empty()) *out += indent + "pieces:\n";
  for (const Curve::Piece& p : curve.pieces)
    *out += indent + "- {from_bytes: " + number(p.from_bytes) +
            ", per_log_bytes_per_s: " + number(p.per_log) +
            ", constant_bytes_per_s: " + number(p.constant) + "}\n";
}

void put_rates(const char* precision, const Rates& rates, std::string* out) {
  *out += std::string("  ") + precision + ":\n";
  for (const RateField& f : kRates)
    *out += std::string("    ") + f.name + ":\n      core: " + text_of(rates.*f.core) +
            "\n      all: " + text_of(rates.*f.all) + "\n";
}

void put_transfer(const char* name, const Transfer& transfer, std::string* out) {
  *out += std::string(name) + ":\n  latency_s: " + text_of(transfer.latency_s) +
          "\n  bytes_per_s: " + text_of(transfer.bytes_per_s) + "\n";
  if (!transfer.curve) return;
  *out += "  curve:\n";
  put_curve(*transfer.curve, "    ", out);
}

}  // namespace

std::string to_yaml(const Device& device) {
  std::string out = "# A device, as apmt measured it; docs/devices.md explains the fields.\n";
  for (const std::string& doubt : doubts_of(device)) out += "# Warning: " + doubt + ".\n";
  out += "format: apmt-device\nformat_version: \"1.0\"\n";
  out += "name: " + quoted(device.name) + "\nkind: " + device.kind + "\n";
  if (!device.note.empty()) out += "note: " + quoted(device.note) + "\n";
  out += device.sources.empty() ? "sources: {}\n" : "sources:\n";
  for (const auto& [name, source] : device.sources) {
    out += "  " + quoted(name) + ": {kind: " + source.kind;
    if (!source.address.empty())
      out += ", address: " + quoted(source.address) + ", publisher: " + source.publisher;
    if (!source.note.empty()) out += ", note: " + quoted(source.note);
    out += "}\n";
  }
  for (const FigureField& f : kFigures)
    out += std::string(f.name) + ": " + text_of(device.*f.member) + "\n";
  out += "rates:\n";
  put_rates("double", device.in_double, &out);
  put_rates("single", device.in_single, &out);
  if (!device.levels.empty()) out += "levels:\n";
  for (const CardLevel& level : device.levels)
    out += "- name: " + quoted(level.name) + "\n  size_bytes: " + text_of(level.size_bytes) +
           "\n  latency_s: " + text_of(level.latency_s) +
           "\n  bytes_per_s: " + text_of(level.bytes_per_s) + "\n";
  put_transfer("to_device", device.to_device, &out);
  put_transfer("from_device", device.from_device, &out);
  if (!device.idioms.empty()) out += "idioms:  # bandwidth over the bytes that an idiom touches\n";
  for (const auto& [idiom, curve] : device.idioms) {
    out += "  " + quoted(idiom) + ":\n";
    put_curve(curve, "    ", &out);
  }
  return out;
}

}  // namespace apmt::devices
