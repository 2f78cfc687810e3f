// How subcommands of apmt use a server: they push runs, and fetch the model of an application.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fitter/model/model.h"
#include "service/http_client.h"
#include "service/run_labels.h"

namespace apmt::service {

struct Pushed {
  std::string run;  // its SHA-256
  bool is_new = false;
};

/// Throws InputError if the server cannot be reached, or takes no runs with the client's token.
void check_may_push(HttpClient& client);

/// Pushes the run unless the server has it already. Throws InputError if the server refuses it.
Pushed push_profile(HttpClient& client, const RunProfile& profile, const RunLabels& labels);

/// The application for which a model is wanted. Empty members match every application. If several
/// applications match, the one with the newest run is taken.
struct Wanted {
  RunLabels labels;
  int wait_s = 60;  // longest wait for fits of new runs; then the present model is taken
};

/// `on_wait` is called once if the model has to be waited for. Throws InputError if there is no
/// such application, or no model.
Model fetch_model(HttpClient& client, const Wanted& wanted, const std::function<void()>& on_wait);

}  // namespace apmt::service
