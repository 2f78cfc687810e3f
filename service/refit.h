// One refit: judges the model that stood with the runs that came in since, then fits a new one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "service/store.h"

namespace apmt::service {

struct Refit {
  int judged = 0;        // runs that got a forecast
  bool is_good = false;  // there is a new model
  std::string message;   // if not, why not
};

/// `configs` is the folder with laws.yaml. A new entry is added to the models of the application
/// also if no model could be fitted.
Refit refit(Store& store, std::int64_t application, const std::filesystem::path& configs);

}  // namespace apmt::service
