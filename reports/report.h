// The content of a report about a model, a prediction or a run: every sentence and every table as
// data. The renderers (render.h) only choose the form; they compute nothing and add no fact.
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
  kSecondsRange,  // value to high
  kBytes,
  kCount,
  kCountRange,  // value to high
  kProcs,
  kNumber,  // a size in the user's units
  kShare,   // 0..1, shown in percent
  kChange,  // relative, shown in percent with its sign
  kFactor,  // shown as "8x"
};

/// Where a figure comes from.
enum class Source {
  kNone,          // it names its row, or was asked for
  kMeasured,      // in runs of the program
  kSimulated,     // counted by a simulated processor
  kVirtual,       // measured in runs on a simulated cluster
  kFitted,        // what laws say within the profiled process counts
  kExtrapolated,  // and beyond the largest of them
  kDerived,       // arithmetic on figures that were measured or fitted
  kAssumed,       // taken from documents, or a what-if
};
std::string to_string(Source source);

/// Neither text nor value: not known, shown as such, never as zero. Both: the text is for readers,
/// the value for programs.
struct ReportCell {
  std::string text = {};
  std::optional<double> value = {};
  double high = 0;                    // of a range
  std::optional<Source> source = {};  // when it is not that of the column
};

struct ReportColumn {
  std::string id = {};     // for machines, without unit: "time"
  std::string title = {};  // for people: "time"
  Quantity quantity = Quantity::kText;
  Source source = Source::kNone;
  bool only_html = false;   // a detail for which a terminal has no room
  bool is_code = false;     // names from the program
  bool is_formula = false;  // code that is no name: nothing of it can be left out
};

Source source_of(const ReportColumn& column, const ReportCell& cell);

/// One value against the process count, for drawings.
struct PlotPoint {
  double procs = 0;
  double value = 0;
  double low = 0;  // equal to value when there is no interval
  double high = 0;
};

/// The small plot of one row.
struct Sparkline {
  std::vector<PlotPoint> measured = {};
  std::vector<PlotPoint> predicted = {};
};

struct ReportRow {
  std::vector<ReportCell> cells = {};  // one per column
  bool emphasised = false;             // the one that the report is about
  std::optional<Sparkline> sparkline = {};
};

struct ReportTable {
  std::string id = {};       // unique in the report: "prediction", "kernels"
  std::string caption = {};  // one line, may be empty
  std::vector<ReportColumn> columns = {};
  std::vector<ReportRow> rows = {};
  std::size_t text_rows = 0;  // a terminal shows so many and says how many are left out; 0: all
  std::string more = {};      // what the rows left out are: "kernels"
};

/// Time against the process count.
struct TimeChart {
  std::string description;  // alternative text
  std::string note;         // what is to be known about the curve; may be empty
  int max_profiled = 0;     // beyond: extrapolated
  int confidence_percent = 80;
  std::vector<PlotPoint> elapsed;  // measured, the whole
  std::vector<PlotPoint> known;    // measured, the parts in the model; empty when the same
  std::vector<PlotPoint> ideal;    // what perfect strong scaling would give; may be empty
  std::vector<PlotPoint> predicted;
  std::vector<int> asked;  // which of them are predictions asked for
  struct Line {
    std::string name;
    std::vector<PlotPoint> points;
  };
  std::vector<Line> baselines;
};

/// Time against a size or a count, both logarithmic: measured points, and fitted lines.
struct CurveChart {
  std::string description = {};  // alternative text
  std::string x_title = {};
  Quantity x = Quantity::kBytes;
  struct Curve {
    std::string name = {};
    std::vector<std::pair<double, double>> points =
        {};  // x, seconds; what is not above 0 is left out
    bool has_points = true;
    bool has_line = true;
  };
  std::vector<Curve> curves = {};
};

/// Times by version of a program, and the levels between changes.
struct HistoryChart {
  struct Level {
    std::size_t from = 0;  // the first version of it
    std::size_t to = 0;    // and the first one after it
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
    bool incomplete = false;                     // some part is not known here
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
    int level = 0;  // 7: the most; each level below: a quarter of it; 0: anything less
  };
  std::vector<Cell> cells;  // those that have any
};

/// Efficiencies that multiply up: each is the product of those below it, one step further in.
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
  std::vector<Node> nodes;  // each before those that it is made of
};

/// Kernels by their memory accesses and their speed, both axes logarithmic.
struct RooflineChart {
  struct Kernel {
    std::string name;
    double instructions_per_access = 0;
    double instructions_per_s = 0;  // of one process
    double share = 0;               // of the time of all of them
  };
  struct Roof {
    std::string name;
    double instructions_per_s = 0;  // flat, when above 0
    double accesses_per_s = 0;      // else what memory serves one process: a slope
  };
  std::string description;
  std::vector<Kernel> kernels;  // the largest share first
  std::vector<Roof> roofs;
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
};

struct ReportFact {
  std::string name;
  std::string value;
};

struct Report {
  std::string title;                 // "Scaling of halo2d"
  std::string headline;              // the sentence that everyone reads
  std::vector<std::string> reasons;  // what it rests on, and what is missing in it
  std::vector<ReportFact> facts;     // short: grade, profiled counts, size
  std::vector<ReportSection> sections;
  bool is_virtual = false;              // see mark_virtual
  std::vector<std::string> warnings;    // one sentence each, without duplicates
  std::optional<Json> evaluation = {};  // for sliders in a page: evaluation_table.h of the fitter
  std::vector<std::string> next;  // commands to go on with, each with its reason; may be empty
};

/// The run that would narrow the interval of the largest process count asked for.
struct NarrowingRun {
  int procs = 0;
  int reps = 0;
  double core_hours = 0;  // of all repetitions
  double gain = 0;        // share of the width that would vanish
};

/// What lies beyond the process counts asked for.
struct Ahead {
  Outlook outlook;
  std::optional<NarrowingRun> run;  // absent: none within reach would help
};

/// Everything about the largest process count asked for. `curve` holds predictions in between, for
/// the drawings only (see curve_procs). `experiment` adds how the runs themselves went,
/// `profiled_on` what the machine of the runs could have done, `ahead` how far it scales. Throws
/// std::invalid_argument when `predictions` is empty.
Report make_report(const Model& model, const std::vector<Prediction>& predictions,
                   const Experiment* experiment = nullptr,
                   const std::vector<Prediction>& curve = {},
                   const MachineProfile* profiled_on = nullptr, const Ahead* ahead = nullptr);

/// Sentence, table, and parts, kernels and warnings of the largest requested process count.
Report make_prediction_report(const Model& model, const std::vector<Prediction>& predictions);

/// What a fit found.
Report make_fit_report(const Model& model);

/// The runs of an experiment, point by point.
Report make_experiment_report(const Experiment& experiment);

/// One run.
Report make_profile_report(const RunProfile& profile);

/// The figures of a machine, measured by apmt calibrate or written by hand.
Report make_machine_report(const MachineProfile& machine);

/// Marks a report on runs on a simulated cluster: its measured values were measured there.
void mark_virtual(Report* report);

}  // namespace apmt
