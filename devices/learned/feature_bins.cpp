#include "devices/learned/feature_bins.h"

#include <algorithm>
#include <cmath>

namespace apmt::learned {

void FeatureBins::place(double value, int label) {
  const double width = (high_ - low_) / kBins;
  const int bin =
      width > 0 ? std::clamp(static_cast<int>((value - low_) / width), 0, kBins - 1) : 0;
  ++in_bin_[static_cast<std::size_t>(bin * classes_ + label)];
}

void FeatureBins::add(const std::vector<Row>& x, const std::vector<int>& labels,
                      std::size_t count) {
  const double value = x[count - 1][feature_];
  if (count_ == 0) {
    low_ = high_ = value;
    of_class_.assign(static_cast<std::size_t>(classes_), 0);
  }
  const bool is_wider = count_ == 0 || value < low_ || value > high_;
  count_ = count;
  ++of_class_[static_cast<std::size_t>(labels[count - 1])];
  if (!is_wider) return place(value, labels[count - 1]);
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
  in_bin_.assign(static_cast<std::size_t>(kBins * classes_), 0);
  for (std::size_t i = 0; i < count; ++i) place(x[i][feature_], labels[i]);
}

double FeatureBins::information() const {
  double sum = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    const double* const counts = &in_bin_[static_cast<std::size_t>(bin * classes_)];
    double all = 0;
    for (int c = 0; c < classes_; ++c) all += counts[c];
    for (int c = 0; c < classes_; ++c)
      if (counts[c] > 0)
        sum += counts[c] * std::log2(counts[c] * static_cast<double>(count_) /
                                     (all * of_class_[static_cast<std::size_t>(c)]));
  }
  return as_on_any_machine(sum / static_cast<double>(count_));
}

}  // namespace apmt::learned
