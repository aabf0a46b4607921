"""Forks wait until no thread compiles a kernel.

The child of a fork has numba's lock as it was, but not the thread that held it: if one was
compiling just then, the first kernel that the child needs would wait forever.
"""

from __future__ import annotations

import os

from numba.core.compiler_lock import global_compiler_lock as _lock

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire, after_in_child=_lock.release, after_in_parent=_lock.release
    )
