"""The examples of docs/service.md, for the tests that run them. `page.py HEADING LANGUAGE [OLD NEW]...` prints one."""

import os
import re
import sys

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs")


def examples(heading, language):
    """The blocks of code in this language below this heading."""
    with open(os.path.join(DOCS, "service.md"), encoding="utf-8") as file:
        sections = re.split(r"^## +", file.read(), flags=re.M)
    (section,) = [each for each in sections if each.startswith(heading + "\n")]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, flags=re.S | re.M)


def example(heading, language):
    """The only one of these blocks."""
    found = examples(heading, language)
    if len(found) != 1:
        sys.exit(f"FAILED: {len(found)} blocks of {language} below '{heading}'")
    return found[0]


def adapted(text, *replacements):
    """The example with what must differ on the machine of a test: each (old, new), where the old must be there."""
    for old, new in replacements:
        if old not in text:
            sys.exit(f"FAILED: the page no longer says '{old}':\n{text}")
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    print(adapted(example(*sys.argv[1:3]), *zip(sys.argv[3::2], sys.argv[4::2])), end="")
