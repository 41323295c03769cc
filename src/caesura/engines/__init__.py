"""Engines run work on threads, in processes or on a cluster. They do not know what the work is.

An engine takes a function and tasks, and yields results in the order in which they finish; callers must not depend on that
order. The engine takes a new task only when a worker is free, so an iterator may deliver any number of tasks.
"""

from caesura.engines.checkpoint import Checkpoint, has_begun
from caesura.engines.engine import ENGINES, Engine, TaskResult, check_engine, open_engine, use_engine

__all__ = ["ENGINES", "Checkpoint", "Engine", "TaskResult", "check_engine", "has_begun", "open_engine", "use_engine"]
