"""A run under torch.profiler as a Chrome trace, with the shapes of the operands."""
import json
import os

import torch

RUN = "corecast::run"  # a record around each run of the model


def as_kineto(events):
    """For builds without Kineto (Debian's), whose own export has no shapes. Their clock counts whole microseconds."""
    found = []
    for event in events:
        args = {"Input Dims": [list(shape) for shape in event.input_shapes]} if event.input_shapes else {}
        found.append({"ph": "X", "cat": "user_annotation" if event.name == RUN else "cpu_op", "name": event.name, "pid": os.getpid(),
                      "tid": event.thread, "ts": round(event.time_range.start, 3), "dur": round(event.time_range.elapsed_us(), 3), "args": args})
    found.sort(key=lambda event: (event["ts"], -event["dur"]))
    return {"schemaVersion": 1, "traceEvents": found}


def write_profile(path, run, runs):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profiler:
        for _ in range(runs):
            with torch.profiler.record_function(RUN):
                run()
    if torch.profiler.kineto_available():
        profiler.export_chrome_trace(path)
        return
    with open(path, "w", encoding="utf8") as file:
        json.dump(as_kineto(profiler.events()), file)
