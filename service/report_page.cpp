#include "service/report_page.h"

#include <algorithm>

#include "base/checked_json.h"
#include "fitter/prediction/evaluation_table.h"
#include "refine/ahead.h"
#include "reports/process_counts.h"
#include "reports/render.h"

namespace apmt::service {
namespace {

std::vector<Prediction> predictions_at(const Predictor& predictor, const std::vector<int>& counts) {
  std::vector<Prediction> predictions;
  for (const int procs : counts) {
    Scenario scenario;
    scenario.procs = procs;
    predictions.push_back(predictor.predict(scenario));
  }
  return predictions;
}

Json json_of(const std::vector<PlotPoint>& points) {
  Json list = Json::array();
  for (const PlotPoint& p : points) list.push_back({p.procs, p.value, p.low, p.high});
  return list;
}

std::vector<PlotPoint> points_from(const Json& list) {
  std::vector<PlotPoint> points;
  for (const Json& p : list)
    points.push_back({p.at(0).get<double>(), p.at(1).get<double>(), p.at(2).get<double>(),
                      p.at(3).get<double>()});
  return points;
}

}  // namespace

std::string report_page(const Model& model, const Experiment& experiment) {
  const Predictor predictor(model);
  const std::vector<int> asked = default_procs(model);
  Scenario farthest;
  farthest.procs = *std::max_element(asked.begin(), asked.end());
  Ahead ahead = look_beyond(predictor, model, farthest);
  ahead.changes = halved_costs(model, predictor, farthest);
  Report report =
      make_report(model, predictions_at(predictor, asked), &experiment,
                  predictions_at(predictor, curve_procs(model, asked)), nullptr, &ahead);
  report.evaluation = evaluation_table(model, farthest);
  (*report.evaluation)["model"] = model.program + " --from SERVER";
  return render_html(report);
}

Sparkline sparkline_of(const Model& model) {
  constexpr int kFarthest = 8;
  Sparkline sparkline;
  for (const ModelPoint& point : model.points) {
    const double time_s = point.known_s > 0 ? point.known_s : point.elapsed_s;
    sparkline.measured.push_back({static_cast<double>(point.procs), time_s, time_s, time_s});
  }
  for (const Prediction& p :
       predictions_at(Predictor(model), curve_procs(model, {kFarthest * model.max_procs()})))
    sparkline.predicted.push_back(
        {static_cast<double>(p.procs), p.time.time_s, p.time.low_s, p.time.high_s});
  return sparkline;
}

std::string sparkline_text(const Sparkline& sparkline) {
  return Json{{"measured", json_of(sparkline.measured)},
              {"predicted", json_of(sparkline.predicted)}}
      .dump();
}

Sparkline sparkline_from(const std::string& text) {
  const Json json = parse_json(text, "sparkline");
  return {points_from(json.at("measured")), points_from(json.at("predicted"))};
}

}  // namespace apmt::service
