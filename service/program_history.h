// Finds the versions at which the times of a program on one machine changed.
#pragma once

#include "service/store.h"

namespace apmt::service {

/// Makes the history of the program anew, from the runs of its newest versions, and stores it. Does
/// nothing if all runs are of one version.
void update_history(Store& store, const Application& application);

}  // namespace apmt::service
