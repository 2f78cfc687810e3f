// The content of a report about a model, a prediction or a run: every sentence and every table as
// data. The renderers (render.h) only choose the form; they compute nothing and add no facts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fitter/model/model.h"
#include "fitter/prediction/outlook.h"
#include "fitter/prediction/prediction.h"
#include "machine/machine_profile.h"
#include "refine/ahead_summary.h"

namespace apmt {

/// The kind of a number, so that each renderer can write it with a suitable unit.
enum class Quantity {
  kText,
  kSeconds,
  kSecondsRange,  // from ReportCell::value to ReportCell::high
  kBytes,
  kCount,
  kCountRange,  // from ReportCell::value to ReportCell::high, too
  kProcs,
  kSize,   // a problem size, in the user's unit
  kPlain,  // a number without a unit, such as CPI
  kCoreHours,
  kShare,   // 0..1, shown in percent
  kChange,  // relative, shown in percent with its sign
  kFactor,  // shown as "8x"
};

/// Where a number in the report comes from.
enum class Source {
  kNone,          // none needed: the number identifies its row, or the user gave it
  kMeasured,      // in runs of the program
  kSimulated,     // counted by a simulated processor
  kVirtual,       // measured in runs on a simulated cluster
  kFitted,        // calculated from fitted laws, within the profiled process counts
  kExtrapolated,  // calculated from fitted laws, beyond the largest profiled process count
  kDerived,       // arithmetic on measured or fitted numbers
  kAssumed,       // taken from documents, or assumed for a what-if
};
std::string to_string(Source source);

/// A cell with neither text nor value is unknown, and is shown as unknown, never as zero. If a cell
/// has both, reports as text and HTML show the text, and formats for programs contain the value.
struct ReportCell {
  std::string text = {};
  std::optional<double> value = {};
  double high = 0;                    // upper end of a range; `value` is the lower end
  std::optional<Source> source = {};  // absent: the source of the column
};

struct ReportColumn {
  std::string id = {};     // key for programs, without the unit: "time"
  std::string title = {};  // heading for readers: "time"
  Quantity quantity = Quantity::kText;
  Source source = Source::kNone;
  bool only_html = false;   // shown in HTML only, because a terminal is too narrow
  bool is_code = false;     // names from the profiled program
  bool is_formula = false;  // must be shown in full, whereas a long name may be shortened
  bool is_below = false;    // text that is shown under the first cell of its row, not beside it
  bool is_bar = false;      // a share that HTML also shows as a bar behind the number
};

Source source_of(const ReportColumn& column, const ReportCell& cell);

/// One value against the process count, for drawings.
struct PlotPoint {
  double procs = 0;
  double value = 0;
  double low = 0;  // without an interval, low and high are equal to value
  double high = 0;
};

/// The small plot in one row of a table.
struct Sparkline {
  std::vector<PlotPoint> measured = {};
  std::vector<PlotPoint> predicted = {};
};

struct ReportRow {
  std::vector<ReportCell> cells = {};  // one per column
  bool emphasised = false;             // the report is about this row
  std::optional<Sparkline> sparkline = {};
};

struct ReportTable {
  std::string id = {};       // unique in the report: "prediction", "kernels"
  std::string caption = {};  // one line, may be empty
  std::vector<ReportColumn> columns = {};
  std::vector<ReportRow> rows = {};
  std::size_t text_rows = 0;   // most rows that a terminal shows; 0: all
  std::string more = {};       // the noun for the rows that a terminal leaves out: "kernels"
  bool repeats_chart = false;  // the section's chart has the same figures, so HTML folds the table
};

/// Time against the process count.
struct TimeChart {
  std::string description;  // alternative text
  std::string note;         // a remark about the curve; may be empty
  int max_profiled = 0;     // times at larger process counts are extrapolated
  int confidence_percent = 80;
  std::vector<PlotPoint> elapsed;  // measured elapsed time
  std::vector<PlotPoint> known;    // sum of the measured parts; empty if close to elapsed
  std::vector<PlotPoint> ideal;    // with perfect strong scaling; may be empty
  std::vector<PlotPoint> predicted;
  std::vector<int> asked;  // those process counts of `predicted` that the user asked for
  struct Line {
    std::string name;
    std::vector<PlotPoint> points;
  };
  std::vector<Line> baselines;
};

/// Measured points and fitted lines: time against a size or a count, both axes logarithmic.
struct CurveChart {
  std::string description = {};  // alternative text
  std::string x_title = {};
  Quantity x = Quantity::kBytes;
  struct Curve {
    std::string name = {};
    std::vector<std::pair<double, double>> points =
        {};  // x and seconds; points not above 0 are left out
    bool has_points = true;
    bool has_line = true;
  };
  std::vector<Curve> curves = {};
};

/// Times by version of a program. A level is the constant time between two detected changes.
struct HistoryChart {
  struct Level {
    std::size_t from = 0;  // index of its first version
    std::size_t to = 0;    // index after its last version
    double seconds = 0;
  };
  std::string title;
  std::string description;  // alternative text
  std::vector<std::string> versions;
  std::vector<std::optional<double>> seconds;  // one for each version; absent: not measured
  std::vector<Level> levels;                   // empty if no change was detected
};

/// Seconds in each part at each process count, drawn as shares of their sum.
struct PartsChart {
  std::string description;
  std::vector<std::string> parts;  // names, in the order in which a bar stacks them
  struct Bar {
    int procs = 0;
    bool measured = false;
    bool incomplete = false;                     // some part is unknown at this process count
    std::vector<std::optional<double>> seconds;  // one per part
    double total_s = 0;                          // sum of the parts
    double whole_s = 0;  // the time that was measured or is predicted for the whole
  };
  std::vector<Bar> bars;
};

/// How much each rank sends to each other rank.
struct MatrixChart {
  std::string description;
  int ranks = 0;
  int ranks_per_cell = 1;  // a cell stands for this many senders and as many receivers
  double most_bytes = 0;   // the largest sum of bytes in one cell
  struct Cell {
    int from = 0;
    int to = 0;
    int level = 0;  // shade: 7 above most_bytes / 4, 6 above most_bytes / 16, ...; at least 0
  };
  std::vector<Cell> cells;  // only cells with bytes
};

/// Efficiencies as a tree: each one is the product of its children, which follow it, indented one
/// step further.
struct EfficiencyTree {
  struct Column {
    int procs = 0;
    bool measured = false;
  };
  struct Node {
    std::string name;
    int depth = 0;
    std::vector<std::optional<double>> shares;  // one per column; absent: not known
  };
  std::string description;
  std::vector<Column> columns;
  std::vector<Node> nodes;  // a parent precedes its children
};

/// A point for each kernel: work per access to memory (horizontal) and work per second (vertical),
/// both axes logarithmic. Work is counted in instructions or in floating-point operations, accesses
/// one by one or in bytes.
struct RooflineChart {
  struct Kernel {
    std::string name;
    double work_per_access = 0;
    double work_per_s = 0;
    double share = 0;  // of the time of all kernels
  };
  struct Roof {
    std::string name;
    double work_per_s = 0;      // a flat roof, if above 0
    double accesses_per_s = 0;  // otherwise a sloping roof
  };
  std::string description;
  std::vector<Kernel> kernels;  // sorted by share, largest first
  std::vector<Roof> roofs;
  std::string work = "instructions";             // the vertical axis is work per second
  std::string access = "access to main memory";  // the horizontal axis is work per access
  std::string short_access = "access";           // in the lines below the chart
};

/// AIWC's metrics of a kernel, from 0 at the centre to 1 at the rim.
struct KiviatChart {
  enum Group { kCompute, kParallelism, kMemory, kControl };
  struct Spoke {
    std::string name;
    std::string shown;  // the metric itself, for readers
    Group group = kCompute;
    double share = 0;        // of the largest in the reference set
    bool is_beyond = false;  // larger than in the reference set; share is then 1
  };
  std::string description;
  std::vector<Spoke> spokes;
};

/// Operations per level of a kernel's schedules (kernels/analysers/asap.h), from the first level to
/// the last.
struct LevelsChart {
  struct Profile {
    std::string name;
    double depth = 0;                // levels
    std::vector<double> operations;  // means over equal parts of the depth
  };
  std::string description;
  std::vector<Profile> profiles;
};

/// Accesses of a kernel, by the size of the smallest cache that would still hold the accessed line.
struct DistanceChart {
  struct Bar {
    double from_bytes = 0;  // for cache sizes above this, up to and including twice this
    double share = 0;       // of all accesses
  };
  std::string description;
  std::vector<Bar> bars;   // each as wide as a factor of two
  double first_share = 0;  // accesses to lines that were not accessed before
  std::vector<std::pair<std::string, double>> caches;  // of the machine: name and bytes
};

/// One section of the report; it always has some content.
struct ReportSection {
  std::string id = {};
  std::string title = {};
  std::vector<std::string> sentences = {};
  std::vector<ReportTable> tables = {};
  std::optional<TimeChart> time_chart = {};
  std::optional<PartsChart> parts_chart = {};
  std::vector<CurveChart> curve_charts = {};
  std::vector<HistoryChart> history_charts = {};
  std::optional<MatrixChart> matrix_chart = {};
  std::optional<EfficiencyTree> efficiency_tree = {};
  std::optional<RooflineChart> roofline_chart = {};
  std::optional<KiviatChart> kiviat_chart = {};
  std::optional<LevelsChart> levels_chart = {};
  std::optional<DistanceChart> distance_chart = {};
};

struct ReportFact {
  std::string name;
  std::string value;
};

struct Report {
  std::string title;                 // "Scaling of halo2d"
  std::string headline;              // the answer in one sentence
  std::vector<std::string> reasons;  // the facts behind the headline, and what is missing
  std::vector<ReportFact> facts;     // short labels: grade, profiled counts, size
  std::vector<ReportSection> sections;
  bool is_virtual = false;              // see mark_virtual
  std::vector<std::string> warnings;    // one sentence each, without duplicates
  std::optional<Json> evaluation = {};  // for the HTML page's sliders: evaluation_table.h
  std::vector<std::string> next;        // commands to run next; may be empty
};

/// Makes the full report, mainly about the largest process count asked for. `curve` has predictions
/// at further process counts, used for drawings and for short formulas of kernels' times (see
/// curve_procs). Optional additions: `experiment` for disturbances and MPI operations of the runs,
/// `profiled_on` for the limits of the machine that made the runs, `ahead` for how far the program
/// scales. Throws std::invalid_argument when `predictions` is empty.
Report make_report(const Model& model, const std::vector<Prediction>& predictions,
                   const Experiment* experiment = nullptr,
                   const std::vector<Prediction>& curve = {},
                   const MachineProfile* profiled_on = nullptr, const Ahead* ahead = nullptr);

/// A shorter report: the headline, the table of predictions, the parts and kernels at the largest
/// process count, and the warnings.
Report make_prediction_report(const Model& model, const std::vector<Prediction>& predictions);

/// The report of `apmt fit`: laws, kernels and the quality of the fit. `curve`: predictions at
/// several process counts. For each kernel, a short formula that approximates its predicted times
/// is shown in the column "follows"; without `curve`, there is no such column.
Report make_fit_report(const Model& model, const std::vector<Prediction>& curve = {});

/// The runs of an experiment, one table row per point (process count and problem sizes).
Report make_experiment_report(const Experiment& experiment);

/// The report of one run.
Report make_profile_report(const RunProfile& profile);

/// The figures of a machine, measured by apmt calibrate or written by hand.
Report make_machine_report(const MachineProfile& machine);

/// For runs on a simulated cluster: changes the source of every measured value to kVirtual.
void mark_virtual(Report* report);

}  // namespace apmt
