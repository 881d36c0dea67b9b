"""Who used the CPUs during a measurement: its own processes, or others that it should have been alone without (../cpu_use.mjs)."""
import os
import time

from host_context import read

TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def process_cpu(process, proc="/proc"):
    """Milliseconds of CPU that one process has used, with all its threads; 0 when it is gone."""
    text = read(f"{proc}/{process}/stat") or ""
    fields = text[text.rfind(") ") + 2:].split()  # the name may hold anything
    return (int(fields[11]) + int(fields[12])) * TICK_MS if len(fields) > 12 else 0


def host_cpu(proc="/proc"):
    """Milliseconds that all CPUs together were not idle; time that a hypervisor gave to other guests (steal) counts."""
    for line in (read(f"{proc}/stat") or "").split("\n"):
        if line.startswith("cpu "):
            user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, line.split()[1:9])
            return (user + nice + system + irq + softirq + steal) * TICK_MS
    return None


def start_cpu_use(processes):
    """Call it when timing starts; the function it returns gives {cpu_ms, other_cpus} since then."""
    def own():
        return sum(process_cpu(process) for process in processes)
    begin, own_before, host_before = time.perf_counter(), own(), host_cpu()

    def since():
        milliseconds = (time.perf_counter() - begin) * 1000
        cpu = own() - own_before
        others = None if host_before is None else round(max(0.0, (host_cpu() - host_before - cpu) / milliseconds), 3)
        return {"cpu_ms": round(cpu), "other_cpus": others}
    return since
