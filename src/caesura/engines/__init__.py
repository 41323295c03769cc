"""Where work is done: on threads, in processes, on a cluster. Nothing here knows what the work is.

An engine takes a function and tasks, and gives results in the order in which they are ready; what is asked of it must not
depend on that order. Tasks are taken one by one while there is room, so that any number of them may come from an iterator.
"""

from caesura.engines.checkpoint import Checkpoint
from caesura.engines.engine import ENGINES, Done, Engine, check_engine, open_engine, using

__all__ = ["ENGINES", "Checkpoint", "Done", "Engine", "check_engine", "open_engine", "using"]
