// The columns that describe a model. The statements that list models or applications read them.
#pragma once

#include "service/database.h"
#include "service/records.h"

namespace apmt::service {

constexpr const char* kModelColumns =
    "id, application, number, made_at, is_good, message, sparkline, max_procs, change ";

inline ModelInfo model_of(const Statement& row) {
  ModelInfo model;
  model.id = row.integer(0);
  model.application = row.integer(1);
  model.number = static_cast<int>(row.integer(2));
  model.made_at = row.text(3);
  model.is_good = row.integer(4) != 0;
  model.message = row.text(5);
  model.sparkline = row.text(6);
  model.max_procs = static_cast<int>(row.integer(7));
  model.change = row.integer(8);
  return model;
}

}  // namespace apmt::service
