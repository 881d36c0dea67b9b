"""Gives the threads of a BLAS that has a pool of its own the same CPUs as OpenMP's.

With OMP_PROC_BIND, libgomp binds the first thread to the first CPU when it is loaded. OpenBLAS (Debian's pthread build) starts its threads
when their number is set, and they inherit that: all of a product's threads would then share one CPU. So the pool is started while the
first thread may use all of them, and its threads are bound as OpenMP's are: the n-th to the n-th."""
import os
import re

import torch

ORDER = 512  # of the product that starts the pool: large enough to be cut


def allowed(thread):
    with open(f"/proc/self/task/{thread}/status", encoding="utf8") as file:
        text = re.search(r"^Cpus_allowed_list:\s*(\S+)", file.read(), re.MULTILINE)[1]
    cpus = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def threads():
    return sorted(int(name) for name in os.listdir("/proc/self/task"))


def set_threads(count, cpus):
    """Sets the number of threads, which may start the pool; call it before any other work. Places nothing where OpenMP does not bind."""
    if not cpus or not os.environ.get("OMP_PROC_BIND"):
        torch.set_num_threads(count)
        return
    first, before = allowed(os.getpid()), set(threads())
    os.sched_setaffinity(0, cpus)
    torch.set_num_threads(count)
    torch.mm(torch.ones(ORDER, ORDER), torch.ones(ORDER, ORDER))
    bound = {frozenset({cpu}) for cpu in cpus[1:]}
    for place, thread in enumerate((one for one in threads() if one not in before and frozenset(allowed(one)) not in bound), start=1):
        os.sched_setaffinity(thread, {cpus[place % len(cpus)]})
    os.sched_setaffinity(0, first)
