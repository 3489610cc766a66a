"""The command lines to type for one's own server, and what each of their flags is for.

Sources: Nsight Systems User Guide, "CLI Profile Command Switch Options"; vLLM documentation, "Profiling vLLM"
(the profiler `cuda` of `--profiler-config`, and `/start_profile`, since vLLM 0.13).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.measure.events import Finding

_MODEL = "meta-llama/Meta-Llama-3-8B-Instruct"

BY_TIME = f"""VLLM_WORKER_MULTIPROC_METHOD=spawn \\
nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node \\
  --trace-fork-before-exec=true \\
  --delay=180 --duration=120 --kill=none \\
  --output=decode-window \\
  vllm serve {_MODEL}"""

BY_CALL = f"""VLLM_WORKER_MULTIPROC_METHOD=spawn \\
nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node \\
  --trace-fork-before-exec=true \\
  --capture-range=cudaProfilerApi --capture-range-end=repeat --kill=none \\
  --output=decode-window \\
  vllm serve {_MODEL} --profiler-config.profiler cuda"""

START_STOP = """curl -X POST http://127.0.0.1:8000/start_profile
sleep 10
curl -X POST http://127.0.0.1:8000/stop_profile"""

READ = """nsys export --type=sqlite --output=decode-window.sqlite decode-window.nsys-rep
python -m engine analyse decode-window.sqlite"""

FLAGS = (
    ("flag_delay", "--delay=180 --duration=120"),
    ("flag_range", "--capture-range=cudaProfilerApi"),
    ("flag_kill", "--kill=none"),
    ("flag_trace", "--trace=cuda,nvtx,osrt"),
    ("flag_node", "--cuda-graph-trace=node"),
    ("flag_spawn", "VLLM_WORKER_MULTIPROC_METHOD=spawn"),
    ("flag_fork", "--trace-fork-before-exec=true"),
)


def commands() -> Iterator[Finding]:
    """Findings that carry a `command`, ready to copy, and after them one for each flag."""
    yield Finding("command_by_time", {"command": BY_TIME})
    yield Finding("command_by_call", {"command": BY_CALL})
    yield Finding("command_start_stop", {"command": START_STOP})
    yield Finding("command_read", {"command": READ})
    for code, flag in FLAGS:
        yield Finding(code, {"flag": flag})
