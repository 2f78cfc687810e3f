// Handlers that return HTML pages.

#include "service/pages.h"

#include <algorithm>
#include <map>

#include "base/words.h"
#include "reports/difference.h"
#include "reports/html_pieces.h"
#include "reports/numbers.h"
#include "reports/render.h"
#include "service/report_page.h"
#include "service/routes.h"
#include "service/track_record.h"

namespace apmt::service {
namespace {

constexpr int kApplicationsOnAPage = 200;
constexpr int kForecastsOnAPage = 200;
constexpr int kRunsOnAPage = 200;

std::string address_of(std::int64_t application) {
  return "/applications/" + std::to_string(application);
}

std::string state_words(const ApplicationState& state) {
  std::string text = state.newest_good ? "model " + std::to_string(state.newest_good->number) +
                                             " of " + state.newest_good->made_at
                                       : "no model yet";
  if (state.is_pending()) return text + "; a fit is under way";
  if (state.newest && !state.newest->is_good) text += "; " + state.newest->message;
  return text;
}

/// The range of process counts that all drawings of a list share.
PlotRange range_of(const std::vector<Sparkline>& sparklines) {
  PlotRange range{0, 0};
  for (const Sparkline& sparkline : sparklines)
    for (const auto* points : {&sparkline.measured, &sparkline.predicted})
      for (const PlotPoint& point : *points) {
        range.first = range.first == 0 ? point.procs : std::min(range.first, point.procs);
        range.last = std::max(range.last, point.procs);
      }
  return range;
}

std::vector<Sparkline> sparklines_of(const std::vector<ApplicationState>& states) {
  std::vector<Sparkline> sparklines;
  for (const ApplicationState& state : states)
    sparklines.push_back(state.newest_good && !state.newest_good->sparkline.empty()
                             ? sparkline_from(state.newest_good->sparkline)
                             : Sparkline{});
  return sparklines;
}

PageTable table_of(const TrackRecord& record) {
  PageTable table;
  table.caption = "Predictions by how far they extrapolated";
  table.heads = {{"prediction", true},  {"number"},       {"claimed coverage"},
                 {"observed coverage"}, {"median error"}, {"largest error"}};
  for (const TrackGroup& group : record.groups)
    table.rows.push_back({{words(group)},
                          {std::to_string(group.forecasts)},
                          {format_share(group.claimed)},
                          {format_share(static_cast<double>(group.covered) / group.forecasts)},
                          {format_share(group.median_error)},
                          {format_share(group.worst_error)}});
  return table;
}

/// "halo2d, version 3f2a1b on cluster"
std::string words_of(const RunLabels& labels) {
  return labels.name + ", version " + labels.version + " on " + labels.machine;
}

/// Names of applications by their ids.
using Names = std::map<std::int64_t, std::string>;

Names names_of_applications(Store& store, const std::vector<Forecast>& forecasts) {
  Names names;
  for (const Forecast& f : forecasts)
    if (!names.contains(f.application))
      names[f.application] = words_of(store.application(f.application).value().application.labels);
  return names;
}

/// The table has a column for the application if there are `names`.
PageTable table_of(const std::vector<Forecast>& forecasts, const Names& names) {
  PageTable table;
  table.caption = "Predictions made before the runs, the newest first";
  table.heads = {{"made at", true}, {"processes"}, {"factor"},       {"predicted"},   {"interval"},
                 {"measured"},      {"error"},     {"inside", true}, {"remark", true}};
  if (!names.empty()) table.heads.insert(table.heads.begin() + 1, {"application", true});
  for (const Forecast& f : forecasts) {
    const bool is_known = f.predicted_s && f.measured_s;
    std::vector<PageCell> row = {
        {f.made_at},
        {std::to_string(f.procs)},
        {format_factor(f.factor)},
        {f.predicted_s ? format_seconds(*f.predicted_s) : ""},
        {f.low_s && f.high_s ? format_seconds_range(*f.low_s, *f.high_s) : ""},
        {format_seconds(f.measured_s.value_or(f.elapsed_s))},
        {is_known ? format_change(*f.predicted_s / *f.measured_s - 1) : ""},
        {is_known ? (f.is_covered ? "yes" : "no") : ""},
        {f.is_repeat ? "a repeat of a fitted point" : f.note}};
    if (!names.empty())
      row.insert(row.begin() + 1, {names.at(f.application), address_of(f.application)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// `filter` selects an application or a scope.
std::string record_section(Store& store, ForecastFilter filter) {
  filter.most = kForecastsOnAPage;
  const TrackRecord record = store.track_record(filter);
  const std::vector<Forecast> forecasts = store.forecasts(filter);
  std::string text = "<section id=\"record\">\n<h2>How right earlier predictions were</h2>\n";
  if (forecasts.empty())
    return text +
           "<p>No run has come in yet after a model of its application was there.</p></section>\n";
  text +=
      "<p>Before a new run is used for a fit, the model that stands is compared with it. So "
      "no run here was judged by a model that had seen it.</p>\n";
  if (record.unmeasured > 0)
    text += "<p>" + html_text(counted(record.unmeasured, "prediction")) +
            " could not be compared; the table states why.</p>\n";
  const Names names = filter.application ? Names{} : names_of_applications(store, forecasts);
  return text + html_table(table_of(record)) + html_table(table_of(forecasts, names)) +
         "</section>\n";
}

PageTable table_of(const std::vector<StoredRun>& runs) {
  PageTable table;
  table.caption = "Runs, in the order in which they came";
  table.heads = {{"run", true},
                 {"processes"},
                 {"sizes", true},
                 {"elapsed"},
                 {"started at", true},
                 {"received at", true},
                 {"taken out because", true}};
  for (const StoredRun& run : runs) {
    std::string sizes;
    for (const auto& [name, value] : run.params)
      sizes += (sizes.empty() ? "" : ", ") + name + " " + format_size(value);
    table.rows.push_back({{run.id.substr(0, 12)},
                          {std::to_string(run.procs)},
                          {sizes},
                          {format_seconds(run.elapsed_s)},
                          {run.started_at},
                          {run.received_at},
                          {run.taken_out_because.value_or("")}});
  }
  return table;
}

PageTable table_of(const std::vector<ModelInfo>& models) {
  PageTable table;
  table.caption = "Models and attempts, the newest first";
  table.heads = {{"number"}, {"made at", true}, {"largest count"}, {"state", true}};
  for (const ModelInfo& model : models)
    table.rows.push_back({{std::to_string(model.number)},
                          {model.made_at},
                          {model.max_procs > 0 ? std::to_string(model.max_procs) : ""},
                          {model.is_good ? "good" : model.message}});
  return table;
}

/// Links to the history, and to comparisons with the other versions and machines of the program.
std::string others_section(Context& context, const Application& application) {
  std::string items;
  for (const ApplicationState& other :
       context.store.applications({.name = application.labels.name, .most = 50, .newest = true})) {
    if (other.application.id == application.id || !other.newest_good) continue;
    items +=
        "<li><a href=\"/compare?before=" + std::to_string(other.application.id) +
        "&amp;after=" + std::to_string(application.id) + "\">" +
        html_text(other.application.labels.version + " on " + other.application.labels.machine) +
        "</a></li>\n";
  }
  // Versions that ran on a single process count have a history, but no models to compare.
  std::string text;
  if (context.store.history(application.labels.name, application.labels.machine))
    text = "<p><a href=\"" + address_of(application.id) +
           "/history\">History: the times of all versions on this machine, and where they "
           "changed</a></p>\n";
  if (!items.empty()) text += "<p>Compare with:</p>\n<ul>\n" + items + "</ul>\n";
  if (text.empty()) return {};
  return "<section id=\"others\">\n<h2>Other versions and machines</h2>\n" + text + "</section>\n";
}

/// One side of a comparison in words: the application whose id is this parameter of the query.
std::string side_words(Context& context, const Call& call, const char* parameter) {
  const std::int64_t id = call.whole(parameter, 1, 1 << 30, 0);
  return words_of(application_with(context, call, id).application.labels);
}

}  // namespace

HttpResponse page_of_applications(Context& context, const Call& call) {
  ApplicationFilter filter;
  filter.after = call.whole("after", 0, 1 << 30, 0);
  filter.most = call.whole("most", 1, 1000, kApplicationsOnAPage);
  filter.scope = scope_of(call);
  const std::vector<ApplicationState> states = context.store.applications(filter);
  const std::vector<Sparkline> sparklines = sparklines_of(states);
  const PlotRange range = range_of(sparklines);
  PageTable table;
  table.caption = "Every application is a program on a machine in a version";
  table.heads = {{"application", true}, {"machine", true},       {"version", true}, {"runs"},
                 {"processes"},         {"time over processes"}, {"state", true}};
  for (std::size_t i = 0; i < states.size(); ++i) {
    const ApplicationState& state = states[i];
    const RunLabels& labels = state.application.labels;
    table.rows.push_back(
        {{labels.name, address_of(state.application.id)},
         {labels.machine},
         {labels.version},
         {std::to_string(state.runs)},
         {join_numbers(state.procs)},
         {"", "", sparklines[i].predicted.empty() ? "" : html_sparkline(sparklines[i], range)},
         {state_words(state)}});
  }
  std::string body = "<section id=\"applications\">\n<h2>Applications</h2>\n";
  if (states.empty())
    body += "<p>There is no run yet. Push one: <code>apmt push --to URL</code></p>\n";
  else
    body += html_table(table);
  if (static_cast<int>(states.size()) == filter.most)
    body += "<p><a href=\"/?after=" + std::to_string(states.back().application.id) +
            "\">More applications</a></p>\n";
  return page_response("Applications", body + "</section>\n");
}

HttpResponse page_of_application(Context& context, const Call& call) {
  const ApplicationState state = application_of(context, call);
  const std::int64_t id = state.application.id;
  const RunLabels& labels = state.application.labels;
  std::string body = "<dl class=\"facts\">\n" + html_fact("machine", labels.machine) +
                     html_fact("version", labels.version) +
                     html_fact("runs", std::to_string(state.runs)) +
                     html_fact("processes", join_numbers(state.procs)) +
                     html_fact("state", state_words(state)) + "</dl>\n";
  if (state.newest_good)
    body += "<p><a href=\"" + address_of(id) +
            "/report\">The report: curve, kernels, bound, sliders</a></p>\n";
  body += record_section(context.store, {id});
  body += others_section(context, state.application);
  body += "<section id=\"runs\">\n<h2>Runs</h2>\n" +
          html_table(table_of(context.store.runs_of(id, 0, kRunsOnAPage))) + "</section>\n";
  body += "<section id=\"models\">\n<h2>Models</h2>\n" +
          html_table(table_of(context.store.models_of(id, 50))) + "</section>\n";
  return page_response(labels.name, body);
}

HttpResponse page_of_report(Context& context, const Call& call) {
  const ModelInfo model = serving_model(application_of(context, call));
  return report_response(context.store.report_page(model.id));
}

HttpResponse page_of_history(Context& context, const Call& call) {
  return report_response(history_of(context, call).page);
}

HttpResponse page_of_track_record(Context& context, const Call& call) {
  return page_response("Track record", record_section(context.store, {.scope = scope_of(call)}));
}

HttpResponse page_of_comparison(Context& context, const Call& call) {
  const auto before = model_of_parameter(context, call, "before");
  const auto after = model_of_parameter(context, call, "after");
  Report report =
      make_difference_report(before->model, after->model, compare(before->model, after->model));
  report.facts = {{"before", side_words(context, call, "before")},
                  {"after", side_words(context, call, "after")}};
  return report_response(render_html(report));
}

}  // namespace apmt::service
