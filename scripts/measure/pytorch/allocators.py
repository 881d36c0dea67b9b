"""Where a malloc that keeps its memory is installed. glibc's own gives large blocks back when they are freed, so that each operator with a
large output faults all its pages in again (allocator.py measures what that costs)."""
import glob
import os

FOLDERS = ("/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")
LIBRARIES = {"tcmalloc": ("libtcmalloc_minimal.so.4", "libtcmalloc.so.4"), "jemalloc": ("libjemalloc.so.2",)}
OWN = (None, "framework", "system")  # PyTorch has no pool of its own on CPUs
NAMES = ("framework", "system", "caching", *LIBRARIES)


def _installed(kind, folders):
    for library in LIBRARIES[kind]:
        for folder in folders:
            for path in sorted(glob.glob(os.path.join(folder, library))):
                return path
    return None


def preload(name, folders=FOLDERS):
    """(library to preload or None, why it cannot be had or None); "caching" is tcmalloc, else jemalloc."""
    if name in OWN:
        return None, None
    if name not in NAMES:
        return None, f'allocator "{name}" is not one of {", ".join(NAMES)}'
    for kind in LIBRARIES if name == "caching" else (name,):
        path = _installed(kind, folders)
        if path:
            return path, None
    kinds = " or ".join(LIBRARIES if name == "caching" else (name,))
    return None, f"allocator {name}: no {kinds} is installed (Debian: libtcmalloc-minimal4 or libjemalloc2)"
