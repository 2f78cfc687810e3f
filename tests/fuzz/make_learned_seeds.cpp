// Writes small data sets and the models that are learned from one of them into a folder, as seeds
// of fuzz_learned.

#include "base/atomic_file.h"
#include "devices/learned/learned_model.h"
#include "devices/learned/svm.h"
#include "tests/unit/learned/planted.h"
#include "tests/unit/learned/small_data.h"

int main(int, char** argv) {
  using namespace apmt;
  using namespace apmt::learned;
  const std::filesystem::path folder = argv[1];
  write_file_atomically(folder / "small.csv", small_text());
  DataSet data = planted_data(1, 1);
  data.runs.resize(24);
  data.head.definitions.features[4].log_floor = 0.5;
  write_file_atomically(folder / "planted.csv", to_text(data));
  for (const LearnerKind kind :
       {LearnerKind::kNnge, LearnerKind::kSvm, LearnerKind::kForest, LearnerKind::kNeighbour}) {
    if (kind == LearnerKind::kSvm && !has_svm()) continue;
    const LearnedModel model = train_model(data, {.learners = {kind}, .splits = {}, .trees = 3});
    write_file_atomically(folder / (to_string(kind) + ".json"), to_text(model));
  }
}
