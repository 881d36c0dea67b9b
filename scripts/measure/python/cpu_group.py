"""A control group with a CPU quota, for one measurement: made before its processes start, removed after they have ended.

The kernel lets the processes of a group run for quota x period of CPU time, all threads together, in each period of 100 ms, and
stops all of them until the next. The rules on where a group can be made are those of ../cpu_group.mjs, which cites the kernel's documents."""
import os
import re
import time

from errors import InputError
from host_context import read

PERIOD_SECONDS = 0.1
PERIOD_US = int(PERIOD_SECONDS * 1e6)
PREFIX = "corecast-measure-"


def _has_word(text, word):
    return word in re.split(r"[\s,]+", text or "")


def _own_group(root):
    """(version, folder of the hierarchy that exists, own group)"""
    lines = [re.fullmatch(r"\d+:([^:]*):(.*)", line) for line in (read(os.path.join(root, "proc/self/cgroup")) or "").split("\n")]
    base = os.path.join(root, "sys/fs/cgroup")
    for found in lines:
        if found and _has_word(found[1], "cpu"):
            for top in (os.path.join(base, found[1]), os.path.join(base, "cpu")):
                if os.path.exists(top):
                    return 1, top, found[2]
    for found in lines:
        if found and found[1] == "" and _has_word(read(os.path.join(base, "cgroup.controllers")), "cpu"):
            return 2, base, found[2]
    raise InputError("a CPU quota cannot be set: no cgroup hierarchy with the cpu controller is mounted")


def _parent_folder(version, top, group):
    """Version 1: the own group. Version 2 gives quotas only to children of a group that passes the cpu controller on, which one with
    processes in it may not (except the root), so the parents are asked too; a group with a quota itself must not be left."""
    at = os.path.join("/", group)
    if not os.path.exists(top + at):
        at = "/"  # a container sees its own group as the root
    if version == 1:
        return os.path.normpath(top + at)
    while True:
        folder = os.path.normpath(top + at)
        control = os.path.join(folder, "cgroup.subtree_control")
        if _has_word(read(control), "cpu"):
            return folder
        try:
            with open(control, "r+", encoding="utf8") as file:
                file.write("+cpu")
            return folder
        except OSError:
            pass  # the group has processes, or is not ours: its parent then
        limit = read(os.path.join(folder, "cpu.max"))
        if limit and not limit.startswith("max"):
            raise InputError(f"a CPU quota cannot be set: {folder} has a quota itself and no room for groups below it")
        if at == "/":
            raise InputError(f"a CPU quota cannot be set: no group above {group} passes the cpu controller on")
        at = os.path.dirname(at)


def _remove_leftovers(parent):
    """Groups of measurements that were killed before they could clean up."""
    for name in os.listdir(parent):
        found = re.fullmatch(PREFIX + r"(\d+)", name)
        if found and not os.path.exists(f"/proc/{found[1]}"):
            try:
                os.rmdir(os.path.join(parent, name))
            except OSError:
                pass  # still in use: not ours to end


class CpuGroup:
    """InputError where it cannot be made."""

    def __init__(self, cpus, root="/"):
        version, top, group = _own_group(root)
        parent = _parent_folder(version, top, group)
        self.folder = os.path.join(parent, f"{PREFIX}{os.getpid()}")
        quota = round(cpus * PERIOD_US)
        files = ([("cpu.cfs_period_us", PERIOD_US), ("cpu.cfs_quota_us", quota)] if version == 1 else [("cpu.max", f"{quota} {PERIOD_US}")])
        try:
            _remove_leftovers(parent)
            os.makedirs(self.folder, exist_ok=True)
            for name, value in files:
                with open(os.path.join(self.folder, name), "w", encoding="utf8") as file:
                    file.write(str(value))
        except OSError as error:
            self.remove()
            raise InputError(f"a CPU quota of {cpus} cannot be set: {self.folder}: {error.strerror} (are you root, is it writable?)") from error

    def inside(self, command):
        """Command line that enters the group and then becomes the given command, so that no thread of it ran outside."""
        return ["/bin/sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', self.folder, *command]

    def statistics(self):
        """Periods and throttling since the group was made."""
        found = dict(line.split()[:2] for line in (read(os.path.join(self.folder, "cpu.stat")) or "").split("\n") if " " in line)
        throttled = int(found["throttled_time"]) / 1e6 if "throttled_time" in found else int(found.get("throttled_usec", 0)) / 1e3
        return {"periods": int(found.get("nr_periods", 0)), "throttled_periods": int(found.get("nr_throttled", 0)), "throttled_ms": throttled}

    def remove(self):
        """Its processes may need a moment to be gone after they were killed."""
        for _ in range(200):
            try:
                os.rmdir(self.folder)
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.01)
