// A store with applications, runs, models and tokens that are always the same, so that an input of
// the fuzzer of requests can name them.
#pragma once

#include <string>
#include <vector>

#include "profile/run_profile.h"
#include "service/digest.h"
#include "service/store.h"

namespace apmt::fuzz {

/// This text occurs in all data of the application that some tokens must not see, so a response to
/// such a token must not contain it. No seed contains the text.
constexpr const char* kMarker = "Qz7Hidden";
constexpr const char* kPlantedScript = "<script>planted()</script>";
constexpr const char* kOpenName = "open <b>program</b>";

struct PlantedToken {
  std::string name;
  service::Role role = service::Role::kReader;
  bool is_valid = true;
  service::Scope scope = {};

  std::string id() const { return service::sha256("id of " + name).substr(0, 16); }
  std::string secret() const { return service::sha256("secret of " + name); }
  std::string text() const { return "apmt_" + id() + "_" + secret(); }
};

const std::vector<PlantedToken>& planted_tokens();

/// A run of the planted (invented) program; `repetition` distinguishes runs with the same process
/// count. The program has a single kernel, because sanitizers make predictions with larger models
/// slow.
RunProfile planted_profile(int procs, int repetition = 1);
/// A run of a program that also sends messages.
RunProfile rich_profile();
service::NewRun planted_run(const RunProfile& profile, const service::RunLabels& labels);

/// The runs that every valid token may see: version v1, then v2, each on 2, 4 and 8 processes.
std::vector<service::NewRun> open_runs();

/// Fills an empty store. Its applications have the ids 1 to 5: two versions of one program, the
/// hidden application, one without a model, and one that waits for its first fit.
void plant(service::Store& store);

}  // namespace apmt::fuzz
