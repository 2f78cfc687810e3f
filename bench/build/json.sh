#!/usr/bin/env bash
# json.sh: the CPU time that GCC needs for a source file with nlohmann/json.hpp and for one with json_fwd.hpp, each
# alone and with precompiled headers (those of cmake/targets.cmake, with json.hpp and without). Prints the table of
# README.md: medians of 5.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
flags=(-std=c++20 -O2 --param=ggc-min-heapsize=600000)
standard='<algorithm> <cmath> <cstdint> <filesystem> <functional> <map> <optional> <sstream> <string> <string_view> <vector>'

for header in $standard; do echo "#include $header"; done >standard.h
{ cat standard.h && echo '#include <nlohmann/json.hpp>'; } >with_json.h
for header in standard.h with_json.h; do g++ "${flags[@]}" -x c++-header "$header"; done
# A function that only passes JSON on, which a forward declaration allows.
for header in json json_fwd; do
  printf '#include <nlohmann/%s.hpp>\nconst nlohmann::json& same(const nlohmann::json& j) { return j; }\n' "$header" \
    >"$header.cpp"
done

cpu_s() { # CPU seconds of a compilation, the median of 5
  TIMEFORMAT='%U %S'
  for ((i = 0; i < 5; ++i)); do
    { time g++ "${flags[@]}" -c "$@" -o object.o; } 2>&1 | awk '{print $1 + $2}'
  done | sort -n | sed -n 3p
}

echo '| precompiled headers | source with `json.hpp` | source with `json_fwd.hpp` |'
echo '|---|---:|---:|'
while IFS='|' read -r name options; do
  # shellcheck disable=SC2086  # options are words
  printf '| %s | %.2f s | %.2f s |\n' "$name" "$(cpu_s $options json.cpp)" "$(cpu_s $options json_fwd.cpp)"
done <<'END'
none|
the standard library|-include standard.h
the standard library and `json.hpp`|-include with_json.h
END
