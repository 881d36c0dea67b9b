"""Environment of programs whose threads are OpenMP's, complete before their libraries are loaded."""
# What the caller's shell may have set: a measurement states all of it.
OURS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OPENBLAS_THREAD_TIMEOUT",
        "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_DYNAMIC")
SOON = "4"  # OpenBLAS: 2^4 cycles of waiting, its least


def openmp_environment(intra_op, inter_op, spin, cpus):
    """None unsets a variable. Spinning "on" is the libraries' own waiting: some ms, then sleep; "off" sleeps at once.

    Each thread of a team gets a CPU of its own where there are as many; only for one team, since a second one would be put on the same."""
    threads = str(intra_op)
    found = {**dict.fromkeys(OURS), "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    if spin == "off":
        found.update(OMP_WAIT_POLICY="PASSIVE", KMP_BLOCKTIME="0", OPENBLAS_THREAD_TIMEOUT=SOON)
    if cpus and inter_op == 1 and intra_op <= len(cpus):
        found.update(OMP_PROC_BIND="true", OMP_PLACES=",".join(f"{{{cpu}}}" for cpu in cpus))
    return found
