// The content of a report about a model, a prediction or a run: every sentence and every table as
// data. The renderers (render.h) only choose the form; they compute nothing and add no facts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fitter/model.h"
#include "fitter/outlook.h"
#include "fitter/prediction.h"
#include "machine/machine_profile.h"

namespace apmt {

/// The kind of a number, so that each renderer can write it with a suitable unit.
enum class Quantity {
  kText,
  kSeconds,
  kSecondsRange,  // from value to high
  kBytes,
  kCount,
  kCountRange,  // from value to high
  kProcs,
  kNumber,  // a size in the user's units
  kShare,   // 0..1, shown in percent
  kChange,  // relative, shown in percent with its sign
  kFactor,  // shown as "8x"
};

/// Where a figure comes from.
enum class Source {
  kNone,          // it identifies its row, or the user gave it
  kMeasured,      // in runs of the program
  kSimulated,     // counted by a simulated processor
  kVirtual,       // measured in runs on a simulated cluster
  kFitted,        // calculated from laws, within the profiled process counts
  kExtrapolated,  // the same, beyond the largest profiled process count
  kDerived,       // arithmetic on figures that were measured or fitted
  kAssumed,       // taken from documents, or a what-if
};
std::string to_string(Source source);

/// A cell with neither text nor value is unknown and is shown as such, never as zero. If it has
/// both, readers see the text and programs get the value.
struct ReportCell {
  std::string text = {};
  std::optional<double> value = {};
  double high = 0;                    // upper end; only for ranges
  std::optional<Source> source = {};  // absent: that of the column
};

struct ReportColumn {
  std::string id = {};     // key for programs, without the unit: "time"
  std::string title = {};  // heading for readers: "time"
  Quantity quantity = Quantity::kText;
  Source source = Source::kNone;
  bool only_html = false;   // a detail for which a terminal has no room
  bool is_code = false;     // names from the profiled program
  bool is_formula = false;  // must be shown in full, unlike a name
};

Source source_of(const ReportColumn& column, const ReportCell& cell);

/// One value against the process count, for drawings.
struct PlotPoint {
  double procs = 0;
  double value = 0;
  double low = 0;  // both ends are equal to value when there is no interval
  double high = 0;
};

/// The small plot of one row.
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
  std::size_t text_rows = 0;  // a terminal shows so many and counts the rest; 0: all
  std::string more = {};      // the noun for the rows left out: "kernels"
};

/// Time against the process count.
struct TimeChart {
  std::string description;  // alternative text
  std::string note;         // a remark about the curve; may be empty
  int max_profiled = 0;     // counts beyond it are extrapolated
  int confidence_percent = 80;
  std::vector<PlotPoint> elapsed;  // measured elapsed time
  std::vector<PlotPoint> known;    // measured, sum of the parts in the model; empty if the same
  std::vector<PlotPoint> ideal;    // what perfect strong scaling would give; may be empty
  std::vector<PlotPoint> predicted;
  std::vector<int> asked;  // process counts in `predicted` that the user asked for
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

/// Times by version of a program. Between two changes the time is constant: a level.
struct HistoryChart {
  struct Level {
    std::size_t from = 0;  // its first version
    std::size_t to = 0;    // the version after its last one
    double seconds = 0;
  };
  std::string title;
  std::string description;  // alternative text
  std::vector<std::string> versions;
  std::vector<std::optional<double>> seconds;  // one for each version
  std::vector<Level> levels;                   // empty: nothing changed
};

/// Shares of the time at each process count.
struct PartsChart {
  std::string description;
  std::vector<std::string> parts;  // from the bottom of a bar to its top
  struct Bar {
    int procs = 0;
    bool measured = false;
    bool incomplete = false;                     // some part is unknown at this process count
    std::vector<std::optional<double>> seconds;  // one per part
    double total_s = 0;
  };
  std::vector<Bar> bars;
};

/// How much each rank sends to each other rank.
struct MatrixChart {
  std::string description;
  int ranks = 0;
  int ranks_per_cell = 1;  // along a side
  double most_bytes = 0;   // in one cell
  struct Cell {
    int from = 0;
    int to = 0;
    int level = 0;  // 7 for most bytes, each level below for a quarter, 0 for anything less
  };
  std::vector<Cell> cells;  // those that have any
};

/// Efficiencies that multiply: each is the product of those below it, which are indented further.
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
  std::vector<Node> nodes;  // each precedes its factors
};

/// Kernels placed by instructions per memory access and by speed, both axes logarithmic.
struct RooflineChart {
  struct Kernel {
    std::string name;
    double instructions_per_access = 0;
    double instructions_per_s = 0;  // of one process
    double share = 0;               // of the time of all kernels
  };
  struct Roof {
    std::string name;
    double instructions_per_s = 0;  // above 0: a flat roof
    double accesses_per_s = 0;      // else accesses that one process can make: a sloping roof
  };
  std::string description;
  std::vector<Kernel> kernels;  // the largest share first
  std::vector<Roof> roofs;
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

/// Operations per level of a kernel's schedules, from the first level to the last.
struct LevelsChart {
  struct Profile {
    std::string name;
    double depth = 0;                // levels
    std::vector<double> operations;  // means of equal parts of the depth
  };
  std::string description;
  std::vector<Profile> profiles;
};

/// Accesses of a kernel by the size of the smallest cache that would keep the line.
struct DistanceChart {
  struct Bar {
    double from_bytes = 0;  // exclusive; up to twice as many, inclusive
    double share = 0;       // of all accesses
  };
  std::string description;
  std::vector<Bar> bars;   // each as wide as a factor of two
  double first_share = 0;  // accesses to lines that were not accessed before
  std::vector<std::pair<std::string, double>> caches;  // of the machine: name and bytes
};

/// One part of the report: never empty.
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
  std::string headline;              // the sentence that everyone reads
  std::vector<std::string> reasons;  // the facts behind the headline, and what is missing
  std::vector<ReportFact> facts;     // short labels: grade, profiled counts, size
  std::vector<ReportSection> sections;
  bool is_virtual = false;              // see mark_virtual
  std::vector<std::string> warnings;    // one sentence each, without duplicates
  std::optional<Json> evaluation = {};  // for sliders in the HTML page: fitter/evaluation_table.h
  std::vector<std::string> next;        // commands to run next, each with its reason; may be empty
};

/// The run that would narrow the interval of the largest process count asked for.
struct NarrowingRun {
  int procs = 0;
  int reps = 0;
  double core_hours = 0;  // all repetitions together
  double gain = 0;        // the share of the interval's width that would vanish
};

/// How far the program scales, beyond the process counts asked for.
struct Ahead {
  Outlook outlook;
  std::optional<NarrowingRun> run;  // absent: no run within reach would narrow it
};

/// Everything about the largest process count asked for. `curve` holds predictions in between, only
/// for drawings (see curve_procs). `experiment` adds how the runs went, `profiled_on` the limits of
/// the machine of the runs, `ahead` how far the program scales. Throws std::invalid_argument when
/// `predictions` is empty.
Report make_report(const Model& model, const std::vector<Prediction>& predictions,
                   const Experiment* experiment = nullptr,
                   const std::vector<Prediction>& curve = {},
                   const MachineProfile* profiled_on = nullptr, const Ahead* ahead = nullptr);

/// A shorter report: the sentence, the table, and parts, kernels and warnings of the largest count.
Report make_prediction_report(const Model& model, const std::vector<Prediction>& predictions);

/// What a fit found.
Report make_fit_report(const Model& model);

/// The runs of an experiment, point by point.
Report make_experiment_report(const Experiment& experiment);

/// One run.
Report make_profile_report(const RunProfile& profile);

/// The figures of a machine, measured by apmt calibrate or written by hand.
Report make_machine_report(const MachineProfile& machine);

/// Marks a report on runs on a simulated cluster, so that every measured value is shown as virtual.
void mark_virtual(Report* report);

}  // namespace apmt
