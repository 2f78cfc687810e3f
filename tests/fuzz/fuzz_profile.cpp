// Fuzzes profiles of runs: reads a profile, writes it, and makes an experiment of two copies.

#include "fitter/model/model.h"
#include "profile/run_profile.h"
#include "tests/fuzz/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return apmt::fuzz::answers([&] {
    const apmt::Json json = apmt::parse_json(apmt::fuzz::text_of(data, size), "fuzz");
    const apmt::RunProfile profile = apmt::run_profile_from_json(json, "fuzz");
    apmt::format_json(apmt::to_json(profile));
    apmt::make_experiment({profile, profile});
  });
}
