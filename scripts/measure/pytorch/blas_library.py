"""Which BLAS a PyTorch that uses the system's is given.

Debian's default OpenBLAS keeps a pool of its own beside the OpenMP team of PyTorch's other operators. A team that has just finished spins,
and the pool's threads wait for its CPUs: BERT-base at batch 1 took 246 ms with one thread, 547 ms with two on two CPUs, and 138 ms with two in one
team (EPYC Zen 5). Published wheels have one team for both. So has OpenBLAS's OpenMP build (Debian: libopenblas0-openmp), which is taken
where it is installed; the result's context says which one was."""
import glob
import os

FOLDERS = "/usr/lib/*-linux-gnu/openblas-openmp"


def library_path(folders=FOLDERS):
    """LD_LIBRARY_PATH with the one-team BLAS in front, or None to leave it."""
    found = sorted(glob.glob(folders))
    if not found:
        return os.environ.get("LD_LIBRARY_PATH")
    return ":".join(found[:1] + [one for one in os.environ.get("LD_LIBRARY_PATH", "").split(":") if one])
