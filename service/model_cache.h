// Keeps models that are ready for predictions, by id. A stored model never changes, so nothing here
// becomes outdated.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "fitter/prediction/prediction.h"
#include "service/store.h"

namespace apmt::service {

struct ReadyModel {
  explicit ReadyModel(Model read) : model(std::move(read)), predictor(model) {}
  Model model;
  Predictor predictor;
};

class ModelCache {
 public:
  ModelCache(Store& store, std::size_t most) : store_(store), most_(most) {}

  std::shared_ptr<const ReadyModel> get(std::int64_t id);

 private:
  Store& store_;
  std::size_t most_;
  std::mutex mutex_;
  std::list<std::int64_t> by_use_;  // the most recently used first
  struct Entry {
    std::shared_ptr<const ReadyModel> model;
    std::list<std::int64_t>::iterator place;
  };
  std::map<std::int64_t, Entry> entries_;
};

}  // namespace apmt::service
