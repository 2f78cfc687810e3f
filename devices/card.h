// A device card: the figures of a CPU, a GPU or another accelerator, each with its origin. A card
// is written by hand (configs/devices) or measured by `apmt calibrate --device`; docs/devices.md
// describes it.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace apmt::devices {

/// Where figures come from: a document at an address, a measurement, or an assumption.
struct CardSource {
  std::string kind;       // "published", "measured", "assumed"
  std::string address;    // of a published document
  std::string publisher;  // "vendor" or "other"; empty unless published
  std::string note;       // how figures were measured, why they were assumed, or a remark
};

struct Origin {
  std::string from;  // the name of a source of the card
  std::string line;  // the source's line with the figure, or how it was computed
};

/// Measurements are repeated until their spread is this small, or their time is over.
inline constexpr double kWantedSpread = 0.03;
inline constexpr double kWantedIdiomSpread = 0.05;

struct CardFigure {
  double value = 0;
  double spread = 0;  // of repeated measurements: (upper - lower quartile) / median
  Origin origin = {};
};

/// A figure, or nothing if no source of the card gives it.
using MaybeFigure = std::optional<CardFigure>;

/// Floating-point operations per second of one core and of all cores, in one precision.
struct Rates {
  MaybeFigure scalar_core, scalar_all;  // neither vectors nor fused multiply-add
  MaybeFigure fma_core, fma_all;
  MaybeFigure vector_core, vector_all;
  MaybeFigure peak_core, peak_all;  // vectors, and fused multiply-add if the hardware has it
};

/// The bandwidth as a function of the data size: measured points, or the pieces of a fitted formula
/// a ln(bytes) + b.
struct Curve {
  struct Point {
    double bytes = 0, bytes_per_s = 0, spread = 0;
  };
  struct Piece {
    double from_bytes = 0, per_log = 0, constant = 0;
  };
  struct Answer {
    double bytes_per_s = 0;
    bool is_beyond = false;  // the size is above the largest measured one, whose rate is returned
  };
  std::vector<Point> points;  // by size; interpolated linearly with both axes logarithmic
  std::vector<Piece> pieces;  // by size
  Origin origin;

  /// The rate for data of this size; nothing below the smallest size.
  std::optional<Answer> at(double bytes) const;
  double from_bytes() const;
};

/// A level of the memory; the last one is the memory itself and has no size.
struct CardLevel {
  std::string name;
  MaybeFigure size_bytes;
  MaybeFigure latency_s;
  MaybeFigure bytes_per_s;  // of all cores together
};

struct Transfer {
  MaybeFigure latency_s;
  MaybeFigure bytes_per_s;
  std::optional<Curve> curve;

  /// Seconds for a transfer of `bytes`; nothing if the card lacks the figures.
  std::optional<double> seconds(double bytes) const;
  /// Whether seconds() uses the rate of the largest measured transfer, which is smaller than
  /// `bytes`.
  bool is_beyond(double bytes) const;
};

inline constexpr std::array kIdioms = {"stream",
                                       "transpose",
                                       "gather",
                                       "scatter",
                                       "reduction",
                                       "stencil",
                                       "matrix-matrix product",
                                       "matrix-vector product"};

struct Device {
  std::string label;  // the name of its file, short enough for tables
  std::string name;
  std::string kind;  // "cpu", "gpu", "accelerator"
  std::string note;
  std::map<std::string, CardSource> sources;
  MaybeFigure cores;         // cores, multiprocessors, compute units
  MaybeFigure units;         // n_p of AutoMatch: cores of a CPU, CUDA cores or stream processors
  MaybeFigure frequency_hz;  // under load
  MaybeFigure memory_bytes;
  MaybeFigure fast_bytes;      // Z: last cache of a CPU; L2 and shared memory of a GPU
  MaybeFigure fast_latency_s;  // alpha_f
  MaybeFigure slow_latency_s;  // alpha_s
  MaybeFigure fast_bytes_per_s;
  MaybeFigure slow_bytes_per_s;
  MaybeFigure synchronisation_s;  // s_0: to synchronise all threads at full occupancy
  MaybeFigure launch_s;           // to launch a kernel through the driver, until its end
  MaybeFigure loop_start_s;       // CPU: to start a parallel loop on all cores, until its end
  Rates in_double, in_single;
  std::vector<CardLevel> levels;  // the fastest first
  Transfer to_device, from_device;
  std::map<std::string, Curve> idioms;

  /// Peak floating-point operations per second of all cores, if this share of the operations is in
  /// single precision and the rest in double.
  std::optional<double> peak_flops_per_s(double share_single = 0) const;
  bool is_measured() const;  // whether the card has a measured source
};

/// Reads a card, or makes one from a machine profile. Throws InputError, which names the file and
/// the place of the error in it.
Device read_device(const std::filesystem::path& file);
std::string to_yaml(const Device& device);

}  // namespace apmt::devices
