"""What holds for all tests."""

import os

# Before torch is imported, here and in the kernels that tests start: two processes on two cores want a thread each.
os.environ.setdefault("OMP_NUM_THREADS", "1")
