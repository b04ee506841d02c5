"""The server of llama.cpp on a free port of this machine; a test starts it as a process.

Argument: a GGUF file. Prints the address, and ends when its standard input is closed.
"""

import os
import sys

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx, parameters.n_parallel, parameters.port = 4096, 2, 0
parameters.hostnames = ["127.0.0.1"]
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)  # taking the server down within the process can hang
