"""The variables that a process starts with which runs or compiles what others wrote.

What stands in the environment of a process stands on its stack, where native code reads it: so such a process
never gets a token, a password or a proxy's URL. What is not listed here is not there.
"""

from __future__ import annotations

import os

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


def passed_on() -> dict[str, str]:
    """Of this process's variables, those that are listed."""
    return {name: value for name, value in os.environ.items() if name in _PASSED}
