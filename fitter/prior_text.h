// configs/priors.yaml as text; the build writes prior_text.cpp.
#pragma once

namespace apmt {

const char* prior_text();

}  // namespace apmt
