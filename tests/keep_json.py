"""If APMT_KEEP_JSON names a folder, keeps a copy there of JSON that a test in Python saw; tests/rest.sh validates it."""
import os
import tempfile


def keep(text):
    if folder := os.environ.get("APMT_KEEP_JSON"):
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix="python-", suffix=".json", delete=False) as copy:
            copy.write(text)
