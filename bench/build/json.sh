#!/usr/bin/env bash
# json.sh: the CPU time that GCC needs for a source file with nlohmann/json.hpp and for one with json_fwd.hpp, each
# alone and with precompiled headers (those of cmake/targets.cmake, with json.hpp and without). Prints the table of
# README.md: medians of 5. If build/release exists, also prints how many of its compilations use JSON.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
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

# shellcheck disable=SC2016  # the backquotes are Markdown
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

[[ -e $root/build/release/compile_commands.json ]] || exit 0
python3 - "$root/build/release/compile_commands.json" <<'END'
import json, pathlib, re, sys
files = [c["file"] for c in json.load(open(sys.argv[1])) if "cmake_pch.hxx" in c["command"] and "cmake_pch" not in c["file"]]
def uses_json(file):
    text = pathlib.Path(file).read_text(errors="replace")
    if "/Unity/" in file:
        return any(uses_json(member) for member in re.findall(r'#include "([^"]+)"', text))
    return re.search(r"\bJson|nlohmann|checked_json", text) is not None
print(f"{sum(map(uses_json, files))} of {len(files)} compilations with precompiled headers use JSON")
END
