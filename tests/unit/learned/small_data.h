// A small data set as text. Each test changes one thing in it.
#pragma once

#include <string>

namespace apmt::learned {

inline const std::string kSmallHead = R"(# {"format": "apmt-learned-data", "format_version": "1.0",
#  "title": "small", "source": "a test", "licence": "MIT", "notice": "", "reference": "cpu",
#  "definitions": {"name": "counts", "version": "1",
#                  "features": [{"name": "loads", "log_floor": 0.5}, {"name": "share"}]},
#  "devices": [{"name": "cpu", "kind": "cpu", "bandwidth_bytes_per_s": 20e9},
#              {"name": "gpu", "kind": "gpu"}, {"name": "big", "kind": "gpu"}]}
)";

inline const std::string kSmallTable =
    "application,kernel,input,suite,loads,share,time_s:cpu,time_s:gpu,time_s:big\n"
    "lud,inner,n=8,rodinia,1000,0.5,1,0.5,0.25\n"
    "lud,edge,n=8,rodinia,0,0.25,1.01,0.501,0.251\n"
    "\"fft, 2\",radix,,shoc,1000,0.5,1e-3,2e-3,\n";

inline std::string small_text() { return kSmallHead + kSmallTable; }

inline std::string with(std::string text, const std::string& what, const std::string& instead) {
  return text.replace(text.find(what), what.size(), instead);
}

}  // namespace apmt::learned
