"""The exception tree matches its docstring, and ``__all__`` of the package is complete."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path

import pytest

import caesura
from caesura import errors


def classes() -> dict[str, type]:
    return {
        name: kind
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if kind.__module__ == errors.__name__ and issubclass(kind, BaseException)
    }


def test_the_exception_tree_matches_its_docstring():
    """The depth in the drawing is the indentation. A second base class is in brackets."""
    bases_drawn = {}
    parents: list[str] = []
    for line in errors.__doc__.splitlines():
        match = re.match(r"^( {4}[│├└─ ]*)([A-Z]\w+)(?: \((\w+)\))?(?:\s{2}|$)", line)
        if match:
            depth = (len(match[1]) - 4) // 4
            parents[depth:] = [match[2]]
            bases_drawn[match[2]] = [parents[depth - 1]] if depth else ["Exception"]
            if match[3]:
                bases_drawn[match[2]].append(match[3])
    assert bases_drawn == {
        name: [base.__name__ for base in kind.__bases__] for name, kind in classes().items() if name != "CaesuraWarning"
    }
    assert len(bases_drawn) > 5


def test_every_exception_has_one_root_and_errors_about_values_are_value_errors():
    for name, kind in classes().items():
        if issubclass(kind, Warning):
            assert kind is errors.CaesuraWarning
            continue
        assert issubclass(kind, errors.CaesuraError), name
        about_values = kind not in (
            errors.CaesuraError,
            errors.EngineError,
            errors.CheckpointError,
            errors.ConflictError,
        )
        assert issubclass(kind, ValueError) == about_values, name


def test_every_exception_has_a_docstring():
    for kind in classes().values():
        assert kind.__doc__


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            errors.FormatError("a.TextGrid", 12, "interval end must be > start"),
            "a.TextGrid:12: interval end must be > start",
        ),
        (errors.FormatError(Path("b.json"), None, "no JSON"), "b.json: no JSON"),
    ],
)
def test_format_error(problem, message):
    assert str(problem) == message
    again = pickle.loads(pickle.dumps(problem))
    assert (again.path, again.line, again.problem, str(again)) == (problem.path, problem.line, problem.problem, message)
    assert isinstance(problem.path, str)
    with pytest.raises(ValueError, match=re.escape(message)):
        raise problem


@pytest.mark.parametrize("kind", [errors.MismatchError, errors.OptionError, errors.SegmentationError, errors.Undefined])
def test_errors_can_be_pickled(kind):
    problem = pickle.loads(pickle.dumps(kind("what happened")))
    assert (type(problem), str(problem)) == (kind, "what happened")


def test_all_of_the_package_is_complete():
    """``__all__`` contains exactly the names of the package that are not modules."""
    for name in caesura.__all__:
        assert getattr(caesura, name) is not None  # some are imported only now
    reachable = {
        name
        for name, value in vars(caesura).items()
        if not inspect.ismodule(value) and (not name.startswith("_") or name == "__version__")
    }
    assert set(caesura.__all__) == reachable | {"errors", "plot", "simulation", "statistics"}
    assert len(caesura.__all__) == len(set(caesura.__all__))
    assert set(caesura.__all__) <= set(dir(caesura))
    with pytest.raises(AttributeError, match="module 'caesura' has no attribute 'nothing'"):
        _ = caesura.nothing


def test_every_measure_is_a_function_of_the_package():
    for name in caesura.measures():
        assert callable(getattr(caesura, name))
        assert name in caesura.__all__


INTERFACE = [
    ("Segmentation", None),
    ("Corpus", None),
    ("measures", ()),
    ("parse", None),
    ("score_many", ("pairs", "measure")),
    ("unify", ("hierarchies",)),
    ("pk", ("reference", "hypothesis", "window", "padded", "compat")),
    ("window_diff", ("reference", "hypothesis", "window", "padded", "compat")),
    ("win_pr", ("reference", "hypothesis", "window")),
    ("crisp", ("reference", "hypothesis", "tolerance")),
    ("unit_error", ("reference", "hypothesis")),
    ("segmentation_similarity", ("a", "b", "n_t", "compat")),
    ("boundary_similarity", ("a", "b", "n_t", "compat")),
    ("boundary_confusion", ("reference", "hypothesis", "n_t", "compat")),
    ("fuzzy_success", ("counts", "hypothesis", "coders", "chain_strength", "minimal_peak", "alpha", "beta")),
    ("Hierarchy", None),
    ("hierarchy_kappa", ("a", "b")),
    ("hierarchy_overlap", ("reference", "hypothesis", "level")),
    ("non_crossing", ("reference", "hypothesis")),
    ("t_measure", ("reference", "hypothesis")),
    ("l_measure", ("reference", "hypothesis")),
    ("Tree", None),
    ("parseval", ("gold", "predicted", "param", "labelled")),
    ("parseval_corpus", ("gold", "predicted")),
    (
        "agreement",
        ("corpus", "measure", "coefficient", "chance", "compat", "interval", "level", "replicates", "seed", "engine"),
    ),
    (
        "judge",
        ("corpus", "systems", "measures", "interval", "level", "replicates", "seed", "bounds", "alpha", "epsilon"),
    ),
    (
        "evaluate",
        ("source", "measures", "reference", "hypothesis", "engine", "checkpoint", "scores", "strict", "settings"),
    ),
]


@pytest.mark.parametrize(("name", "arguments"), INTERFACE, ids=[name for name, _ in INTERFACE])
def test_the_names_of_the_interface(name, arguments):
    """The first two arguments are positional. Options are keywords, in this order."""
    assert name in caesura.__all__
    if arguments is None:
        return
    parameters = list(inspect.signature(getattr(caesura, name)).parameters.values())
    assert tuple(p.name for p in parameters[: len(arguments)]) == arguments
    if len(arguments) > 2 or name == "unit_error":
        kinds = [p.kind for p in parameters]
        assert kinds[:2] == [inspect.Parameter.POSITIONAL_OR_KEYWORD] * 2
        assert set(kinds[2:]) <= {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}


def test_a_long_problem_is_shortened() -> None:
    error = errors.FormatError("a.csv", 3, "the name " + "9" * 50_000 + " is too long; choose a shorter one")
    assert len(str(error)) < 3100
    assert str(error).startswith("a.csv:3: the name 999")
    assert str(error).endswith("999 is too long; choose a shorter one")
