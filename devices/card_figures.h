// The single figures of a card. This table describes each figure once, for all code that reads,
// writes or prints cards.
#pragma once

#include <array>

#include "devices/card.h"

namespace apmt::devices {

struct FigureField {
  const char* name;
  MaybeFigure Device::*member;
  const char* words;  // in messages: "the card has no ..."
  bool is_whole = false;
};

inline constexpr std::array kFigures = {
    FigureField{"cores", &Device::cores, "number of cores", true},
    FigureField{"units", &Device::units, "number of units", true},
    FigureField{"frequency_hz", &Device::frequency_hz, "frequency"},
    FigureField{"memory_bytes", &Device::memory_bytes, "memory size", true},
    FigureField{"fast_bytes", &Device::fast_bytes, "fast-memory size", true},
    FigureField{"fast_latency_s", &Device::fast_latency_s, "latency of the fast memory"},
    FigureField{"slow_latency_s", &Device::slow_latency_s, "latency of the slow memory"},
    FigureField{"fast_bytes_per_s", &Device::fast_bytes_per_s, "bandwidth of the fast memory"},
    FigureField{"slow_bytes_per_s", &Device::slow_bytes_per_s, "bandwidth of the slow memory"},
    FigureField{"synchronisation_s", &Device::synchronisation_s, "cost of a synchronisation"},
    FigureField{"launch_s", &Device::launch_s, "cost of a launch"},
    FigureField{"loop_start_s", &Device::loop_start_s, "cost of starting a loop"},
};

struct RateField {
  const char* name;
  MaybeFigure Rates::*core;
  MaybeFigure Rates::*all;
};

inline constexpr std::array kRates = {
    RateField{"scalar", &Rates::scalar_core, &Rates::scalar_all},
    RateField{"fma", &Rates::fma_core, &Rates::fma_all},
    RateField{"vector", &Rates::vector_core, &Rates::vector_all},
    RateField{"peak", &Rates::peak_core, &Rates::peak_all},
};

}  // namespace apmt::devices
