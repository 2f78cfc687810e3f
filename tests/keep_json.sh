#!/usr/bin/env bash
# keep_json.sh FOLDER: copies all JSON files in and below FOLDER that are not empty to the folder that APMT_KEEP_JSON
# names, where rest.sh validates them. Without APMT_KEEP_JSON it does nothing.
set -euo pipefail
[[ -n ${APMT_KEEP_JSON:-} ]] || exit 0
find "$1" -name '*.json' -size +0 | while read -r file; do
  cp "$file" "$(mktemp --suffix=.json "$APMT_KEEP_JSON/$(basename "$file" .json)-XXXXXX")"
done
