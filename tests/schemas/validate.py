"""validate.py SCHEMAS FOLDER [--any]: checks that every JSON file below FOLDER conforms to the schema of its kind, and
that every schema refuses a document without a required field. The kind of a file is its name up to the first dot. Exit
code 77: jsonschema is not installed.

--any: the names of the files do not tell their kinds. A file with a field "format" must conform to the schema of that
format; a file without it must conform to one of the other schemas."""

import copy
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    print("SKIP: python3-jsonschema is not installed")
    sys.exit(77)

schemas, folder = sys.argv[1:3]
any_name = sys.argv[3:] == ["--any"]
if not os.path.isdir(folder):
    print(f"SKIP: {folder} was not made (make_outputs.sh says why)")
    sys.exit(77)
kinds = {}
for name in sorted(os.listdir(schemas)):
    with open(os.path.join(schemas, name), encoding="utf-8") as file:
        kinds[name.removesuffix(".schema.json")] = json.load(file)
store = {schema["$id"]: schema for schema in kinds.values()}
failures = []


def validator_of(kind):
    schema = kinds[kind]
    jsonschema.Draft202012Validator.check_schema(schema)
    try:  # since version 4.18
        import referencing
    except ImportError:
        resolver = jsonschema.RefResolver(base_uri=schema["$id"], referrer=schema, store=store)
        return jsonschema.Draft202012Validator(schema, resolver=resolver)
    known = [(name, referencing.Resource.from_contents(each)) for name, each in store.items()]
    return jsonschema.Draft202012Validator(schema, registry=referencing.Registry().with_resources(known))


def kinds_of_document(document):
    """The schemas that may apply: the one for the document's format, or, if it states none, those without a format."""
    const = {kind: schema.get("properties", {}).get("format", {}).get("const") for kind, schema in kinds.items()}
    stated = document.get("format") if isinstance(document, dict) else None
    return [kind for kind in kinds if const[kind] == stated]


def validate_all():
    """Validates every file below the folder: one of the schemas that may apply must accept it."""
    count = 0
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            document = json.load(file)
        count += 1
        possible = kinds_of_document(document)
        if any(validators[kind].is_valid(document) for kind in possible):
            continue
        first = next((validators[kind].iter_errors(document) for kind in possible), iter(()))
        reason = next((f"/{'/'.join(map(str, e.path))}: {e.message[:200]}" for e in first), "no such format")
        failures.append(f"{name}: is of no kind in {possible}: {reason}")
    print("\n".join(failures))
    print(f"{count} files, {len(failures)} failures")
    sys.exit(1 if failures or count == 0 else 0)


def kind_of(path):
    stem = os.path.basename(path).split(".")[0]
    return "refine-note" if os.path.basename(path) == "refine.json" else stem


validators = {kind: validator_of(kind) for kind in kinds}
if any_name:
    validate_all()
seen = {kind: [] for kind in kinds}
for where, _, names in os.walk(folder):
    for name in names:
        path = os.path.join(where, name)
        if not name.endswith(".json"):
            continue
        if kind_of(path) not in kinds:
            failures.append(f"{path}: there is no schema of this kind")
            continue
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        seen[kind_of(path)].append(document)
        errors = list(validators[kind_of(path)].iter_errors(document))
        failures += [f"{path}: /{'/'.join(map(str, error.path))}: {error.message[:200]}" for error in errors[:5]]

# A schema that accepts anything would check nothing, so each must refuse a document without a required field.
for kind, documents in seen.items():
    # Three kinds need no file here: backtest is only a part of other files, refine.json (refine-note) exists
    # only while a refinement loop is running, and tests/service checks the server's answers against
    # service-answers.
    if kind not in ("backtest", "refine-note", "service-answers") and not documents:
        failures.append(f"no file of the kind {kind} was made")
    for document in documents[:1]:
        inner = document[0] if isinstance(document, list) else document
        needed = kinds[kind].get("required") or list(inner)
        for field in needed:
            less = copy.deepcopy(document)
            del (less[0] if isinstance(less, list) else less)[field]
            if kinds[kind].get("required") and validators[kind].is_valid(less):
                failures.append(f"{kind}: taken without {field}")
        if validators[kind].is_valid("text") or (inner and validators[kind].is_valid([{}])):
            failures.append(f"{kind}: takes anything")

print("\n".join(failures))
print(f"{sum(map(len, seen.values()))} files of {sum(map(bool, seen.values()))} kinds, {len(failures)} failures")
sys.exit(1 if failures or not any(seen.values()) else 0)
