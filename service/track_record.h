// How accurate earlier predictions were: forecasts, grouped by how far they extrapolated.
#pragma once

#include <string>
#include <vector>

#include "service/records.h"

namespace apmt::service {

/// Forecasts of one kind. Forecasts of a point that the model was fitted to (repeats) are easy, so
/// they have a group of their own.
struct TrackGroup {
  std::string kind;         // "repeat", "inside" (at most the largest count), "extrapolation"
  double above = 0;         // extrapolations: their factors are above this
  double up_to = 0;         // and at most this; 0: no limit
  int forecasts = 0;        // with a measured time
  int covered = 0;          // the measured time was in the interval
  double claimed = 0;       // mean of the nominal coverages
  double median_error = 0;  // of the absolute relative errors
  double worst_error = 0;
};

struct TrackRecord {
  std::vector<TrackGroup> groups;  // those with forecasts
  int unmeasured = 0;              // forecasts that could not be compared
};

/// What the track record needs of a forecast.
struct JudgedPoint {
  bool is_repeat = false;
  double factor = 1;
  double confidence = 0;
  bool is_covered = false;
  std::optional<double> predicted_s;
  std::optional<double> measured_s;
};

/// Sums up forecasts, one after the other.
class TrackTally {
 public:
  TrackTally();
  void add(const JudgedPoint& point);
  TrackRecord record() const;

 private:
  struct Group {
    int covered = 0;
    double claimed = 0;          // sum of the nominal coverages
    std::vector<double> errors;  // one for each forecast
  };
  std::vector<Group> groups_;  // in the order of TrackRecord::groups, also empty ones
  int unmeasured_ = 0;
};

TrackRecord track_record(const std::vector<Forecast>& forecasts);

Json to_json(const TrackRecord& record);

/// "repeats of a fitted point", "2 to 4 times the largest fitted count"
std::string words(const TrackGroup& group);

}  // namespace apmt::service
