"""The result document, corecast.measured_runs/1: created, continued from disk, extended round by round, written atomically."""
import json
import os
import re
import stat

from errors import InputError
from host_context import context_differences
from statistics_of_runs import summarize

SCHEMA = "corecast.measured_runs/1"


def _key(run):
    """Two measurements are rounds of one run when the model's bytes, its name, the inputs and the setting agree."""
    return json.dumps([run["model"], run["model_sha256"], run["inputs"], run["setting"]], sort_keys=True)


def open_result(file, context):
    if not file or not os.path.exists(file):
        return {"schema": SCHEMA, "context": context, "runs": []}
    try:
        with open(file, encoding="utf8") as opened:
            result = json.load(opened)
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: cannot be continued, it is not JSON ({error})") from error
    if not isinstance(result, dict) or result.get("schema") != SCHEMA or not isinstance(result.get("runs"), list) or "context" not in result:
        raise InputError(f"{file}: cannot be continued, it is not a {SCHEMA} file")
    differences = context_differences(result["context"], context)
    if differences:
        raise InputError(f"{file}: cannot be continued, it was measured with another {', '.join(differences)}; choose another output")
    return result


def run_for(result, identity):
    """The run of this identity, added when missing."""
    key = _key(identity)
    for run in result["runs"]:
        if _key(run) == key:
            return run
    run = {**identity, "rounds": []}
    result["runs"].append(run)
    return run


def has_round(run, number):
    return any(done["round"] == number for done in run["rounds"])


def add_answer(run, number, answer):
    """A round, or a failure that stays visible until that round succeeds."""
    failures = [failure for failure in run.pop("failures", []) if failure["round"] != number]
    if "error" in answer:
        failures.append({"round": number, "error": answer["error"]})
    else:
        run["rounds"].append({"round": number, **answer})
        run.update(summarize(run["rounds"]))
    if failures:
        run["failures"] = failures


def to_text(value):
    """Indented, but with lists of numbers on one line: they are most of the file. NaN would be no JSON."""
    number_list = re.compile(r"\[\s+(-?\d[-\d.,e+\s]*?)\s+\]")
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    return number_list.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


def check_writable(file):
    """Complains about a bad target while nothing is measured yet. Only regular files are replaced: the rename would destroy a
    link or a device such as /dev/stdout."""
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            raise InputError(f"{file}: is not a regular file")
    except FileNotFoundError:
        pass
    folder = os.path.dirname(os.path.abspath(file))
    if not os.access(folder, os.W_OK):
        raise InputError(f"{file}: cannot be written ({'no such folder' if not os.path.isdir(folder) else 'no permission'})")


def write_atomically(file, text):
    """Readers see the old file or the new one, never a part of it."""
    temporary = os.path.join(os.path.dirname(os.path.abspath(file)), f".{os.path.basename(file)}.{os.getpid()}.tmp")
    try:
        with open(temporary, "w", encoding="utf8") as opened:
            opened.write(text)
        os.replace(temporary, file)
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise InputError(f"{file}: cannot be written ({error.strerror})") from error
