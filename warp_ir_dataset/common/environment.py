"""What a process starts with: where it finds its modules, and the variables of one that runs or compiles what
others wrote.

What stands in the environment of a process stands on its stack, where native code reads it: so such a process
never gets a token, a password or a proxy's URL. What is not listed here is not there.
"""

from __future__ import annotations

import os
import sys

# Where a process is started with "-m", which puts the folder that it is in first on its path: the user's may
# hold a `numpy.py` of anybody's.
NEUTRAL = os.sep

_PASSED = frozenset(
    name
    for line in (
        "PATH HOME LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES LC_NUMERIC TZ TERM TMPDIR TMP TEMP",
        "PYTHONPATH PYTHONHOME PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING PYTHONUNBUFFERED PYTHONUSERBASE",
        "PYTHONNOUSERSITE PYTHONSAFEPATH PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX",
        "VIRTUAL_ENV CONDA_PREFIX",
        "LD_LIBRARY_PATH CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_HOME CUDA_PATH CUDA_CACHE_PATH",
        "NVIDIA_VISIBLE_DEVICES NVIDIA_DRIVER_CAPABILITIES OMP_NUM_THREADS OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS WARP_CACHE_PATH WARP_IR_CACHE HF_HOME XDG_CACHE_HOME",
    )
    for name in line.split()
)


def search_path() -> str:
    """This process's own path, for PYTHONPATH."""
    return os.pathsep.join(os.path.abspath(entry) for entry in sys.path)


def passed_on() -> dict[str, str]:
    """Of this process's variables, those that are listed; modules are found where this process finds them."""
    found = {name: value for name, value in os.environ.items() if name in _PASSED}
    return found | {"PYTHONPATH": search_path()}
