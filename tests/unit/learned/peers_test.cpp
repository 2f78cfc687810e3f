// Compares the learners with other programs of the same kind: Weka's NNge, and libsvm's svm-train.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/search_path.h"
#include "base/temporary_folder.h"
#include "devices/learned/csv.h"
#include "devices/learned/data_set.h"
#include "devices/learned/neighbour.h"
#include "devices/learned/nnge.h"
#include "devices/learned/svm.h"
#include "tests/paths.h"
#include "tests/unit/learned/planted.h"
#include "tests/unit/learned/weka_nnge.h"

namespace apmt::learned {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeka = "/usr/share/java/weka.jar";

std::string output_of(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command << "\n" << text;
  return text;
}

struct TrainAndTest {
  std::string name;
  Lesson train;
  Lesson test;
};

void write_arff(const fs::path& file, const Lesson& lesson) {
  std::ofstream out(file);
  out << "@relation r\n";
  for (std::size_t f = 0; f < lesson.x[0].size(); ++f) out << "@attribute f" << f << " numeric\n";
  out << "@attribute class {";
  for (int c = 0; c < lesson.classes; ++c) out << (c ? ",c" : "c") << c;
  out << "}\n@data\n";
  for (std::size_t i = 0; i < lesson.size(); ++i) {
    for (const double value : lesson.x[i]) out << csv_number(value) << ",";
    out << "c" << lesson.labels[i] << "\n";
  }
}

/// The classes that Weka predicts for the examples of `test`.
std::vector<int> weka_classes(const TrainAndTest& sets, const fs::path& folder) {
  write_arff(folder / "train.arff", sets.train);
  write_arff(folder / "test.arff", sets.test);
  const std::string text = output_of(
      std::string("java -cp ") + kWeka + " weka.classifiers.rules.NNge -t " +
      (folder / "train.arff").string() + " -T " + (folder / "test.arff").string() + " -p 0 2>&1");
  std::vector<int> classes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {  // "  1   1:c0   2:c1   +   1"
    std::istringstream words(line);
    std::string number;
    std::string actual;
    std::string predicted;
    if (words >> number >> actual >> predicted && predicted.find(":c") != std::string::npos)
      classes.push_back(std::stoi(predicted.substr(predicted.find(":c") + 2)));
  }
  return classes;
}

/// Examples of a noisy rule. Values have two decimals, so that many are equal; the ranges of the
/// features differ.
Lesson generated(std::uint64_t seed, std::size_t size, std::size_t features, int classes) {
  Random random(seed);
  Lesson lesson;
  lesson.classes = classes;
  for (std::size_t i = 0; i < size; ++i) {
    Row x;
    for (std::size_t f = 0; f < features; ++f)
      x.push_back(std::round(100 * random.uniform() * (f % 2 == 0 ? 1 : 30)) / 100);
    const double rule = (x[0] + 0.5 * x[1] / 30) / 1.5;
    int label = std::min(classes - 1, static_cast<int>(rule * classes));
    if (random.uniform() < 0.15)
      label = static_cast<int>(random.below(static_cast<std::size_t>(classes)));
    lesson.x.push_back(std::move(x));
    lesson.labels.push_back(label);
    lesson.groups.push_back("one");
  }
  return lesson;
}

/// The shipped data, divided into training and test once for each of three devices and each
/// application. The application is left out of the training and used for the test. The class says
/// whether the device is faster than the reference.
std::vector<TrainAndTest> shipped() {
  const DataSet data = read_data_set(source_dir() + "/configs/learned/aiwc.csv");
  std::vector<TrainAndTest> sets;
  const std::size_t reference = data.reference_index();
  for (const char* const device : {"gtx1080", "titanx", "fiji-furyx"}) {
    std::map<std::string, TrainAndTest> folds;
    for (const KernelRun& out : data.runs)
      folds[out.application].name = std::string(device) + " without " + out.application;
    for (const KernelRun& run : data.runs) {
      Row x;
      for (const auto& value : run.features) x.push_back(*value);
      const int label = *run.times_s[data.device_index(device)] < *run.times_s[reference];
      for (auto& [application, fold] : folds) {
        Lesson& lesson = application == run.application ? fold.test : fold.train;
        lesson.x.push_back(x);
        lesson.labels.push_back(label);
        lesson.groups.push_back(run.application);
      }
    }
    for (auto& [application, fold] : folds) sets.push_back(std::move(fold));
  }
  return sets;
}

std::vector<TrainAndTest> generated_sets() {
  std::vector<TrainAndTest> sets;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::size_t features = 2 + seed % 5;
    const int classes = 2 + static_cast<int>(seed % 3);
    sets.push_back({"generated " + std::to_string(seed),
                    generated(seed, 60 + 30 * seed, features, classes),
                    generated(100 + seed, 200, features, classes)});
  }
  return sets;
}

/// Returns which single choice of Weka's NNge makes the learner give Weka's answer for `x`, or ""
/// if no single choice does.
std::string choice_for(const Lesson& train, const Row& x, int theirs) {
  const std::map<std::string, WekaChoices> choices = {
      {"bins", {true, false, false, false}},
      {"a box that overlaps another", {false, true, false, false}},
      {"members on the cut", {false, false, true, false}},
      {"equally near boxes", {false, false, false, true}},
  };
  for (const auto& [name, choice] : choices)
    if (WekaNnge(train, choice).answer(x) == theirs) return name;
  return "";
}

/// NNGE with Weka's choices. At a split, two features may be equally good. So if an answer differs
/// from Weka's, such a split is also tried along the other feature, which Weka may have chosen.
WekaNnge as_weka(const TrainAndTest& set, const std::vector<int>& theirs) {
  const auto agrees = [&](const WekaNnge& nnge) {
    for (std::size_t i = 0; i < theirs.size(); ++i)
      if (nnge.answer(set.test.x[i]) != theirs[i]) return false;
    return true;
  };
  WekaNnge usual(set.train, {});
  if (agrees(usual)) return usual;
  for (const TiedSplit& tie : usual.tied_splits())
    if (WekaNnge other(set.train, {}, tie); agrees(other)) return other;
  return usual;
}

TEST(Peers, NngeAgreesWithWeka) {
  if (!fs::exists(kWeka)) GTEST_SKIP() << "SKIP: weka is not installed (apt-get install weka)";
  const TemporaryFolder folder;
  std::vector<TrainAndTest> sets = generated_sets();
  for (TrainAndTest& set : shipped()) sets.push_back(std::move(set));
  int all = 0;
  int same = 0;
  std::map<std::string, int> causes;
  for (const TrainAndTest& set : sets) {
    const std::vector<int> theirs = weka_classes(set, folder.path());
    ASSERT_EQ(theirs.size(), set.test.size()) << set.name;
    const Nnge ours(set.train, {});
    const WekaNnge without_choices(set.train, {false, false, false, false});
    const WekaNnge with_choices = as_weka(set, theirs);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const Row& x = set.test.x[i];
      const int answer = ours.answer(x).chosen;
      EXPECT_EQ(without_choices.answer(x), answer) << set.name << ", example " << i;
      EXPECT_EQ(with_choices.answer(x), theirs[i]) << set.name << ", example " << i;
      ++all;
      same += answer == theirs[i];
      if (answer == theirs[i]) continue;
      std::string cause = choice_for(set.train, x, theirs[i]);
      if (cause.empty()) cause = "equally good features of a split";
      std::printf("%s, example %zu differs: %s\n", set.name.c_str(), i, cause.c_str());
      ++causes[cause];
    }
  }
  std::printf("%d of %d predictions agree with Weka\n", same, all);
  EXPECT_GE(same, 0.99 * all);
  const std::map<std::string, int> known = {{"bins", 4},
                                            {"members on the cut", 2},
                                            {"equally near boxes", 2},
                                            {"equally good features of a split", 2}};
  EXPECT_EQ(causes, known);
}

std::string libsvm_text(const Lesson& lesson, const Row& low, const Row& high) {
  std::string text;
  for (std::size_t i = 0; i < lesson.size(); ++i) {
    text += std::to_string(lesson.labels[i]);
    const Row x = scaled(lesson.x[i], low, high);
    for (std::size_t f = 0; f < x.size(); ++f)
      text += " " + std::to_string(f + 1) + ":" + csv_number(x[f]);
    text += "\n";
  }
  return text;
}

TEST(Peers, SvmIsThatOfSvmTrain) {
  if (!has_svm()) GTEST_SKIP() << "SKIP: built without libsvm";
  if (find_in_path("svm-train", program_search_path()).empty())
    GTEST_SKIP() << "SKIP: svm-train is not installed (apt-get install libsvm-tools)";
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  std::vector<TrainAndTest> sets = generated_sets();
  for (TrainAndTest& set : shipped()) sets.push_back(std::move(set));
  for (const TrainAndTest& set : sets) {
    if (std::set<int>(set.train.labels.begin(), set.train.labels.end()).size() < 2) continue;
    const auto [low, high] = ranges_of(set.train.x);
    std::ofstream(path("train")) << libsvm_text(set.train, low, high);
    std::ofstream(path("test")) << libsvm_text(set.test, low, high);
    output_of("svm-train -q -s 0 -t 2 -g 0.5 -c " + csv_number(kSvmCost) + " " + path("train") +
              " " + path("model"));
    output_of("svm-predict " + path("test") + " " + path("model") + " " + path("out"));
    const auto ours = learn_svm(set.train, 0.5);
    std::ifstream out(path("out"));
    for (std::size_t i = 0; i < set.test.size(); ++i) {
      int theirs = -1;
      out >> theirs;
      EXPECT_EQ(ours->answer(set.test.x[i]).chosen, theirs) << set.name << ", example " << i;
    }
  }
}

}  // namespace
}  // namespace apmt::learned
