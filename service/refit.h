// One refit: compares the existing model with the runs that arrived since it was made (forecasts),
// then fits a new model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "service/store.h"

namespace apmt::service {

struct Refit {
  int judged = 0;        // runs that got a forecast
  bool is_good = false;  // there is a new model
  std::string message;   // why there is none
};

/// The exit code of a worker that lost the connection to the database. Then it is not known whether
/// a model can be fitted.
constexpr int kDatabaseLostCode = 75;

/// Refits an application. `configs` is the folder with laws.yaml. If no model can be fitted, an
/// entry that says why is added to the models of the application.
Refit refit(Store& store, std::int64_t application, const std::filesystem::path& configs);

}  // namespace apmt::service
