"""What the measurements depend on besides the setting: the host, and what the operating system grants of it (../host_context.mjs)."""
import json
import os
import platform
import re


def read(path):
    try:
        with open(path, encoding="utf8") as file:
            return file.read().strip()
    except OSError:
        return None


def _group_quota(folder):
    """Quota of one control group in CPUs; None when it has none."""
    both = read(os.path.join(folder, "cpu.max"))  # version 2
    if both is None:
        both = f"{read(os.path.join(folder, 'cpu.cfs_quota_us'))} {read(os.path.join(folder, 'cpu.cfs_period_us'))}"
    words = both.split()
    if len(words) != 2 or not words[0].isdigit() or not words[1].isdigit() or not int(words[0]) or not int(words[1]):
        return None
    return int(words[0]) / int(words[1])


def cpu_quota(root="/"):
    """Smallest CPU quota of this process' control group and its ancestors, in CPUs; None when unlimited."""
    smallest = None
    for line in (read(os.path.join(root, "proc/self/cgroup")) or "").split("\n"):
        found = re.fullmatch(r"\d+:([^:]*):(.*)", line)
        if not found or (found[1] and "cpu" not in found[1].split(",")):
            continue
        base = os.path.join(root, "sys/fs/cgroup")
        for top in [os.path.join(base, found[1]), os.path.join(base, "cpu")] if found[1] else [base]:
            at = os.path.join("/", found[2])
            while True:
                quota = _group_quota(os.path.join(top, at.lstrip("/")))
                if quota is not None:
                    smallest = quota if smallest is None else min(smallest, quota)
                if at == "/":
                    break
                at = os.path.dirname(at)
    return smallest


def _cpu_model():
    found = re.search(r"^model name\s*:\s*(.*)$", read("/proc/cpuinfo") or "", re.MULTILINE)
    return found[1].strip() if found else None


def _physical_cores():
    """Distinct (package, core) pairs; None where the kernel does not tell."""
    pairs = set()
    for block in (read("/proc/cpuinfo") or "").split("\n\n"):
        core = re.search(r"^core id\s*:\s*(\d+)", block, re.MULTILINE)
        package = re.search(r"^physical id\s*:\s*(\d+)", block, re.MULTILINE)
        if core:
            pairs.add((package[1] if package else None, core[1]))
    return len(pairs) or None


def granted_cpus():
    return os.sched_getaffinity(0)


def load_average():
    return round(os.getloadavg()[0], 2)


def host_context(versions, method):
    """versions: {"pytorch_version": ...} and the like, of the framework."""
    status = re.search(r"^Cpus_allowed_list:\s*(\S+)", read("/proc/self/status") or "", re.MULTILINE)
    return {
        "cpu_model": _cpu_model(),
        "logical_cpus": os.cpu_count(),
        "physical_cores": _physical_cores(),
        "granted_cpus": status[1] if status else None,
        "cpu_quota": cpu_quota(),
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1),
        "kernel": " ".join((os.uname().sysname, os.uname().release, os.uname().machine)),
        "python_version": platform.python_version(),
        **versions,
        "method": method,
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


VOLATILE = ("load_average", "date")


def context_differences(one, other):
    """Names of the fields in which two contexts differ so much that their rounds must not be mixed."""
    def text(context, name):
        return json.dumps(context.get(name), sort_keys=True)
    names = list(one) + [name for name in other if name not in one]
    return [name for name in names if name not in VOLATILE and text(one, name) != text(other, name)]
