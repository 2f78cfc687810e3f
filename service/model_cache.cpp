#include "service/model_cache.h"

namespace apmt::service {

std::shared_ptr<const ReadyModel> ModelCache::get(std::int64_t id) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = entries_.find(id); found != entries_.end()) {
      by_use_.splice(by_use_.begin(), by_use_, found->second.place);
      return found->second.model;
    }
  }
  // The model is read without the lock, because this takes long. So two threads may read the same
  // model.
  const std::string name = "model " + std::to_string(id);
  auto model = std::make_shared<const ReadyModel>(
      model_from_json(parse_json(store_.model_text(id), name), name));
  const std::scoped_lock lock(mutex_);
  if (entries_.contains(id)) return entries_.at(id).model;
  by_use_.push_front(id);
  entries_[id] = {model, by_use_.begin()};
  if (entries_.size() > most_) {
    entries_.erase(by_use_.back());
    by_use_.pop_back();
  }
  return model;
}

}  // namespace apmt::service
