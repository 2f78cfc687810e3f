#include "devices/learned/learned_model.h"

#include <map>

#include "base/input_error.h"

namespace apmt::learned {
namespace {

constexpr const char* kModelFormat = "apmt-learned-model";
constexpr const char* kModelVersion = "1.0";

Json question_to_json(const LearnedQuestion& each, std::map<std::string, std::size_t>* forests,
                      Json* trees) {
  Json json = {{"device", each.question.device},
               {"threshold", each.question.threshold},
               {"brier", json_or_null(each.brier)},
               {"base_brier", json_or_null(each.base_brier)},
               {"unknown", each.unknown.empty() ? Json() : Json(each.unknown)}};
  if (!each.trained) return json;
  Json classifier = each.trained->classifier->to_json();
  if (classifier.contains("trees")) {
    const auto [place, is_new] = forests->emplace(classifier["trees"].dump(), forests->size());
    if (is_new) trees->push_back(classifier["trees"]);
    classifier.erase("trees");
    classifier["forest"] = place->second;
  }
  Json calibration = Json::array();
  for (const Sigmoid& sigmoid : each.trained->calibration)
    calibration.push_back({sigmoid.slope, sigmoid.offset});
  json["features"] = each.trained->features;
  json["calibration"] = calibration;
  json["classifier"] = classifier;
  return json;
}

Trained trained_from(const JsonAt& at, const Json& forests, const Json& json,
                     std::size_t features) {
  Trained trained;
  at.at("features").for_each([&](const JsonAt& f) {
    trained.features.push_back(
        static_cast<std::size_t>(f.integer_in(0, static_cast<std::int64_t>(features) - 1)));
  });
  for (const Row& row : matrix_from(at.at("calibration"))) {
    if (row.size() != 2) at.fail("a slope and an offset for each class");
    trained.calibration.push_back({row[0], row[1]});
  }
  if (trained.calibration.size() != 2) at.fail("a calibration of two classes");
  Json classifier = json.at("classifier");
  if (classifier.contains("forest")) {
    const JsonAt forest = at.at("classifier").at("forest");
    const auto place = forest.integer_in(0, static_cast<std::int64_t>(forests.size()) - 1);
    classifier["trees"] = forests[static_cast<std::size_t>(place)];
  }
  trained.classifier = read_classifier(JsonAt(classifier, at.file(), "classifier"));
  if (trained.classifier->classes() != 2 || !trained.classifier->takes(trained.features.size()))
    at.fail("a classifier of two classes and of the features that are listed");
  return trained;
}

}  // namespace

AskedLesson known_kernels(const DataSet& data) {
  AskedLesson known;
  for (std::size_t r = 0; r < data.runs.size(); ++r) {
    std::optional<Row> x = learned_values(data.head.definitions, data.runs[r].features);
    if (!x) continue;
    known.lesson.x.push_back(std::move(*x));
    known.lesson.groups.push_back(data.runs[r].application);
    known.run_of.push_back(r);
  }
  if (known.lesson.size() < 2)
    throw InputError(data.head.title, "fewer than two runs have all features", {},
                     ExitCode::kNotEnoughData);
  return known;
}

LearnedModel train_model(DataSet data, const ValidationOptions& options) {
  LearnedModel model{.data = std::move(data),
                     .learner = options.learners.at(0),
                     .seed = options.seed,
                     .trees = options.trees,
                     .questions = {}};
  const std::vector<Question> questions = speed_up_questions(model.data.head, kAdvisedSpeedUps);
  ValidationOptions validation = options;
  validation.splits = {Split::kOneApplication};
  validation.baselines = false;
  const std::vector<ScoreLine> lines = validate(model.data, questions, validation);
  for (std::size_t q = 0; q < questions.size(); ++q) {
    LearnedQuestion each{.question = questions[q],
                         .trained = {},
                         .brier = lines[q].brier,
                         .base_brier = lines[q].base_brier,
                         .unknown = lines[q].unknown};
    if (each.unknown.empty())
      each.trained = train(lesson_of(model.data, questions[q]).lesson,
                           {.kind = model.learner, .seed = model.seed, .trees = model.trees});
    for (std::optional<double>* score : {&each.brier, &each.base_brier})
      if (*score) **score = rounded(**score);
    model.questions.push_back(std::move(each));
  }
  return model;
}

std::string to_text(const LearnedModel& model) {
  Json questions = Json::array();
  Json trees = Json::array();
  std::map<std::string, std::size_t> forests;
  for (const LearnedQuestion& each : model.questions)
    questions.push_back(question_to_json(each, &forests, &trees));
  return format_json({{"format", kModelFormat},
                      {"format_version", kModelVersion},
                      {"learner", to_string(model.learner)},
                      {"seed", model.seed},
                      {"trees_per_forest", model.trees},
                      {"definitions",
                       {{"name", model.data.head.definitions.name},
                        {"version", model.data.head.definitions.version}}},
                      {"data", to_text(model.data)},
                      {"forests", trees},
                      {"questions", questions}});
}

LearnedModel read_model(const std::filesystem::path& file) {
  const Json json = read_json_file(file, kModelFormat, 1);
  const JsonAt root(json, file.string());
  LearnedModel model;
  model.data = parse_data_set(root.at("data").string(), file.string() + ", data");
  model.learner = learner_of(root.at("learner").string());
  model.seed = static_cast<std::uint64_t>(root.at("seed").integer_in(0, std::int64_t{1} << 53));
  model.trees = static_cast<int>(root.at("trees_per_forest").integer_in(1, 100000));
  const Json forests = json.value("forests", Json::array());
  if (!forests.is_array()) root.at("forests").fail("an array");
  std::size_t index = 0;
  root.at("questions").for_each([&](const JsonAt& at) {
    const Json& written = json["questions"][index++];
    LearnedQuestion each;
    each.question.device = at.at("device").string();
    each.question.threshold = at.at("threshold").non_negative();
    model.data.device_index(each.question.device);
    each.brier = at.number_or_null("brier");
    each.base_brier = at.number_or_null("base_brier");
    if (const auto why = at.find("unknown")) each.unknown = why->string();
    if (at.find("classifier"))
      each.trained =
          trained_from(at, forests, written, model.data.head.definitions.features.size());
    model.questions.push_back(std::move(each));
  });
  return model;
}

}  // namespace apmt::learned
