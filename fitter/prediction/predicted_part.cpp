#include "fitter/prediction/predicted_part.h"

namespace apmt {

std::optional<TimeEstimate> PredictedParts::*predicted_part(Part part) {
  switch (part) {
    case Part::kComp:
      return &PredictedParts::computation;
    case Part::kCommP2p:
      return &PredictedParts::comm_p2p;
    case Part::kCommColl:
      return &PredictedParts::comm_coll;
    case Part::kCommWait:
      return &PredictedParts::comm_wait;
    case Part::kCommOther:
      return &PredictedParts::comm_other;
    case Part::kOffCpu:
      return &PredictedParts::off_cpu;
    case Part::kStart:
      return &PredictedParts::start;
    case Part::kEnd:
      break;
  }
  return &PredictedParts::end;
}

}  // namespace apmt
