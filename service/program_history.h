// The times of a program on one machine over its versions: at which version they changed.
#pragma once

#include "service/store.h"

namespace apmt::service {

/// Makes the history of the program again, from runs of its newest versions, and stores it. Does
/// nothing if there are runs of one version only.
void update_history(Store& store, const Application& application);

}  // namespace apmt::service
