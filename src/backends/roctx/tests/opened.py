# SPDX-License-Identifier: BSD-3-Clause
"""Opens ROCTX by the name that it is given and uses it."""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
print("level=%d" % library.roctxRangePushA(b"from Python"))
library.roctxMarkA(b"mark")
print("popped=%d" % library.roctxRangePop())
print("other=%d" % hasattr(library, "roctxNoSuchFunction"))
