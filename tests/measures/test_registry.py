"""Measures can be written as text and parsed back; parsing never executes code."""

from __future__ import annotations

import inspect
import pickle
import re

import pytest
from hypothesis import given

import caesura as cz
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.registry import is_called
from support.measures import VALUES, measures
from support.strategies import inputs_for

KINDS = cz.measures()
ALL = sorted(KINDS)


def test_every_option_has_values():
    assert {option.name for kind in KINDS.values() for option in kind.options} == set(VALUES)


@given(measures())
def test_signature_round_trip(measure: Measure):
    again = cz.parse(repr(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert repr(again) == repr(measure)
    assert dict(again.settings) == dict(measure.settings)
    assert again.compat == measure.compat
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert cz.parse(measure) is measure


@given(measures(), measures())
def test_equal_measures_have_equal_signatures(a: Measure, b: Measure):
    assert (a == b) == (repr(a) == repr(b))


@pytest.mark.parametrize("name", ALL)
def test_name_alone_means_default_options(name):
    assert cz.parse(name) == KINDS[name]() == cz.parse(f"{name}()")
    assert cz.parse(f"  {name} ( ) ") == KINDS[name]()
    assert KINDS[name].name == name
    assert KINDS[name].title


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pk", "pk"),
        ("pk()", "pk"),
        (" window_diff ( window = 5 ) ", "window_diff(window=5)"),
        ("pk(compat='nltk')", "pk(compat='nltk')"),
        ('pk(padded=True, compat="nltk")', "pk(padded=True, compat='nltk')"),
        ("boundary_similarity", "boundary_similarity(n_t=2)"),
        ("boundary_similarity(wt=0.10, n_t=3)", "boundary_similarity(n_t=3, wt=0.1)"),
        ("boundary_similarity(wt=0.0)", "boundary_similarity(n_t=2)"),
        ("crisp(tolerance=0)", "boundary_f"),
        ("segmentation_similarity(compat='fournier2012')", "segmentation_similarity(n_t=2, compat='fournier2012')"),
        (
            "segmentation_similarity(compat='fournier2012', transposition='scaled')",
            "segmentation_similarity(n_t=2, transposition='scaled', compat='fournier2012')",
        ),
        ("pk(window=None)", "pk"),
        ("fuzzy_success(beta=inf)", "fuzzy_success(beta=inf)"),
        ("fuzzy_success(beta=1e999, alpha=2.0)", "fuzzy_success(alpha=2, beta=inf)"),
    ],
)
def test_written_forms(text, expected):
    """interface.md: ``boundary_similarity(n_t=2)`` is the repr, the argument of the command line and the header."""
    assert repr(cz.parse(text)) == expected


FORM = "{!r}: options are written as pk(option=value, ...)"
UNREADABLE = [
    "pk(5)",
    "pk(window=)",
    "pk(window=5",
    "pk(",
    "pk(window=5))",
    "pk)",
    "pk(window=-inf)",
    "pk(window=__import__('os'))",
    "pk(window=exit())",
    "pk(window=(lambda: 5)())",
    "pk(window=[x for x in (1,)])",
    "pk(window=f'{1}')",
    "pk(**{'window': 5})",
    "pk(*(5,))",
    "pk(window=5, window=6)",
    "pk(window=5)(padded=True)",
    "pk(window=5).score",
    "pk(window=5) + 1",
    "pk(window=5); pk",
    "pk(window=2+3)",
    "pk(window=5\x00)",
    "pk(window=" + "(" * 500 + "5" + ")" * 500 + ")",
    "pk(window=" + "-" * 1500 + "5)",
    "pk(window:=5)",
    "pk(window == 5)",
]


@pytest.mark.parametrize("text", UNREADABLE, ids=[text[:40].replace("\x00", "NUL") for text in UNREADABLE])
def test_invalid_measures(text):
    with pytest.raises(OptionError) as caught:
        cz.parse(text)
    if not text.startswith("pk)"):
        assert str(caught.value) == FORM.format(text)


def test_parsing_does_not_execute_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in (
        "pk(window=open('ran', 'w'))",
        "pk(window=__import__('pathlib').Path('ran').touch())",
        'pk(window=exec(\'open("ran", "w")\'))',
        "open('ran', 'w')",
        "__import__('os')(window=5)",
    ):
        with pytest.raises(OptionError):
            cz.parse(text)
    assert not list(tmp_path.iterdir())


AMOUNTS = "write positions, seconds or per cent: F1@2, F1@0.5s, F1@500ms, F1@5%"
LISTED = ", ".join(map(repr, KINDS))
INSIDE = ("self", "cls", "kind", "name", "options", "__class__", "_resolved")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pk(windw=5)", "pk has no option 'windw'; did you mean 'window'?"),
        ("window_diff(paded=True)", "window_diff has no option 'paded'; did you mean 'padded'?"),
        ("boundary_similarity(nt=3)", "boundary_similarity has no option 'nt'; did you mean 'n_t'?"),
        ("boundary_similarity(compact='x')", "boundary_similarity has no option 'compact'; did you mean 'compat'?"),
        ("unit_error(zzz=1)", "unit_error has no option 'zzz'; choose from 'average', 'references'"),
        ("pk(compat='nlkt')", "pk has no preset 'nlkt'; did you mean 'nltk'?"),
        ("pk(compat='xyz')", "pk has no preset 'xyz'; choose from 'fournier2012', 'segeval-2.0.11', 'nltk'"),
        ("boundary_similarity(compat='nltk')", "boundary_similarity has no preset 'nltk'"),
        ("unit_error(compat='nltk')", "unit_error has no preset 'nltk'; it has none"),
        ("pk(padded=1)", "padded must be True or False; got 1"),
        ("pk(padded='yes')", "padded must be True or False; got 'yes'"),
        ("rand_index(over='up')", "over must be one of 'segments', 'labels'; got 'up'"),
        ("rand_index(over=[])", "over must be one of 'segments', 'labels'; got []"),
        ("pk(window='5')", "window must be a whole number; got '5'"),
        ("pk(window=x)", "window must be a whole number; got 'x'"),
        ("pk(window=nan)", "window must be a whole number; got 'nan'"),
        ("pk(window=inf.real)", "window must be a whole number; got 'inf.real'"),
        ("pk(window=5, k=5)", "k and window are the same option; set only one of them"),
        ("pk(k=0)", "window must be a whole number of at least 1; got 0"),
        ("B(k=5)", "boundary_similarity has no option 'k'; choose from "),
        ("pk(window=[5])", "window must be a whole number; got [5]"),
        ("pk(window=-1)", "window must be a whole number of at least 1; got -1"),
        ("boundary_similarity(wt=2)", "wt must be a number from 0 to 1; got 2"),
        ("boundary_similarity(wt=1e999)", "wt must be a number from 0 to 1; got inf"),
        ("boundary_similarity(wt=inf)", "wt must be a number from 0 to 1; got inf"),
        ("pk(window=inf)", "window must be a whole number; got inf"),
        ("fuzzy_success(beta=-1)", "beta must be a number from 0 up, or inf; got -1"),
        ("fuzzy_success(p_min=2, p_max=1)", "p_min must not be above p_max; got 2 and 1"),
        ("boundary_similarity(wt=1j)", "wt must be a number; got 1j"),
        ("boundary_similarity(wt={})", "wt must be a number; got {}"),
        *(
            (text, f"there is no measure {text.strip()!r}; choose from {LISTED}")
            for text in ("", " ", "xyz", "os.system")
        ),
        *((text, f"there is no measure {text!r}; ") for text in ("pk window=5", "pk:window=5")),
        *(
            (text, f"there is no measure {text!r}; did you mean {near!r}?")
            for text, near in {
                "window_dif": "window_diff",
                "WDD": "WD",
                "winp": "WinPR",
                "boundary_similarty": "boundary_similarity",
                "crips": "crisp",
            }.items()
        ),
        *((value, f"expected the name of a measure; got {type(value).__name__}") for value in (5, None, b"pk")),
        ("pk" * 10001, "the text of a measure may have at most 20000 characters; got 20002"),
        # An option that is called like something inside is an unknown option.
        *((f"pk({name}=1)", f"pk has no option '{name}'") for name in INSIDE),
        *(
            (f"pk(compat={preset})", "pk has no preset")
            for preset in ("[1]", "{}", "1", "('nltk',)", "True", "b'nltk'")
        ),
        ("F", "'F' has several meanings; choose 'boundary_f' or 'boundary_confusion' or 'hierarchy_overlap'"),
        ("kappa", "'kappa' has several meanings; choose 'hierarchy_kappa', or a measure that the coefficient"),
        ("fleiss", "'fleiss' is not a measure; choose a measure that the coefficient corrects for chance, such as 'B'"),
        ("gamma", "gamma is a coefficient, not a measure"),
        ("F1@", f"'F1@': there is no tolerance after '@'; {AMOUNTS}"),
        ("F1@-1", f"'F1@-1': '-1' is not a tolerance; {AMOUNTS}"),
        ("F1@nan", f"'F1@nan': 'nan' is not a tolerance; {AMOUNTS}"),
        ("B@2", "'B@2': boundary_similarity has no tolerance; remove '@2'"),
        ("F1@2(tolerance=3)", "F1@2 means tolerance=2; remove tolerance=3"),
        ("SFB(normalize=positions)", "SFB means normalize='boundaries'; remove normalize='positions'"),
    ],
)
def test_what_is_no_measure(text, message):
    with pytest.raises(OptionError, match=f"^{re.escape(message)}"):
        cz.parse(text)


@pytest.mark.parametrize("compat", [["nltk"], {}, 5])
def test_preset_that_is_not_a_string_in_a_call(compat):
    text = cz.Segmentation.from_masses([2, 3])
    with pytest.raises(OptionError, match="pk has no preset"):
        cz.pk(text, text, compat=compat)


SEVERAL = {"average", "references"}  # for several items or coders; a function that scores a pair need not have them


@pytest.mark.parametrize("name", ALL)
def test_unhashable_option(name):
    """Made measures are kept by their options; one that cannot be a key is told like any other."""
    (text,) = inputs_for(KINDS[name], cz.Segmentation.from_masses([2, 3]))
    for option in KINDS[name].options:
        if option.name in SEVERAL:
            continue
        with pytest.raises(OptionError, match=f"^{option.name}( must |: )"):
            getattr(cz, name)(text, text, **{option.name: [1]})


def test_registry_returns_a_copy():
    cz.measures().clear()
    assert sorted(cz.measures()) == ALL


@pytest.mark.parametrize("name", ALL)
def test_presets_set_options_of_the_measure(name):
    options = {option.name: option for option in KINDS[name].options}
    for preset, values in KINDS[name].presets.items():
        for option, value in values.items():
            assert options[option].check(option, value) == value, (preset, option)
        assert {k: KINDS[name](compat=preset)[k] for k in values} == dict(values)


@pytest.mark.parametrize("name", ALL)
def test_option_overrides_the_preset(name):
    for preset, values in KINDS[name].presets.items():
        for option in values:
            default = KINDS[name]()[option]
            if (
                default is None or option == "algorithm"
            ):  # None is "not given"; segsimflex's counting needs its algorithm
                continue
            assert KINDS[name](compat=preset, **{option: default})[option] == default


# Parameters beside the options of the measure: how many coders the counts come from, and a file with options.
OTHER_PARAMETERS = {"fuzzy_success": {"coders"}, "parseval": {"param"}}


@pytest.mark.parametrize("name", ALL)
def test_function_accepts_every_option_of_the_measure(name):
    """By name, or as one of **options, which the docstring then lists."""
    kind, function = KINDS[name], getattr(cz, name)
    parameters = inspect.signature(function).parameters.values()
    keywords = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    expected = {option.name for option in kind.options} - (SEVERAL - keywords) | OTHER_PARAMETERS.get(name, set())
    expected |= {"compat"} if kind.presets else set()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        assert keywords < expected
        described = function.__doc__ + "".join(
            getattr(cz, name).__doc__
            for name in ("pk", "boundary_similarity")
            if f"as for :func:`{name}`" in function.__doc__
        )
        for option in expected - keywords:
            assert f"``{option}``" in described, option
        with pytest.raises(OptionError, match="has no option 'nonsense'"):
            function(*[cz.Segmentation.from_masses([2, 3])] * 2, nonsense=1)
    else:
        assert keywords == expected
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert tuple(positional) == kind.sides
    assert len(parameters) <= 10


@pytest.mark.parametrize("name", ALL)
def test_defaults_of_function_and_measure_agree(name):
    """None in the function's head means "not given", anything else must be the measure's own default."""
    for parameter in inspect.signature(getattr(cz, name)).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not None:
            assert KINDS[name]()[parameter.name] == parameter.default


@pytest.mark.parametrize("name", ALL)
def test_function_defaults_do_not_override_a_preset(name):
    """pk(..., compat=preset) must be parse("pk(compat=preset)"), whatever stands in the head of the function."""
    (text,) = inputs_for(KINDS[name], cz.Segmentation.from_masses([2, 3]))
    recording = cz.Segmentation.from_times([2, 7], duration=20)
    for preset in KINDS[name].presets:
        side = recording if preset.startswith("chunkseg") else text
        if preset == "disrpt-2025":
            side = cz.Segmentation.from_positions(3, [1], units=["", "a", "b"])
        assert getattr(cz, name)(side, side, compat=preset).measure == KINDS[name](compat=preset)


@pytest.mark.parametrize("name", ALL)
def test_measures_are_immutable(name):
    measure = KINDS[name]()
    with pytest.raises(AttributeError) as caught:
        measure.compat = "nltk"
    assert str(caught.value) == "cannot assign to field 'compat'"
    with pytest.raises(TypeError):
        measure.settings["window"] = 5
    with pytest.raises(AttributeError):
        del measure.compat


def test_measures_are_cached():
    text = cz.Segmentation.from_masses([2, 3])
    assert cz.pk(text, text).measure is cz.pk(text, text).measure
    # True == 1 and 1.0 == 1, but one is an error and the other is not
    cz.pk(text, text, window=1)
    with pytest.raises(OptionError):
        cz.pk(text, text, window=True)
    with pytest.raises(OptionError):
        cz.pk(text, text, window=1.0)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("boundary_similarity", "B"),
        ("boundary_similarity(n_t=3)", "B(n_t=3)"),
        ("boundary_similarity(compat='segeval-2.0.11')", "B(compat=segeval-2.0.11)"),
        ("segmentation_similarity(transposition='unit')", "S(transposition=unit)"),
        ("pk", "Pk"),
        ("pk(window=5, padded=True)", "Pk(window=5, padded=True)"),
        ("window_diff", "WD"),
        ("win_pr", "WinPR"),
        ("crisp", "F1"),
        ("crisp(tolerance=2)", "F1@2"),
        ("flexible_similarity", "S_f"),
        ("flexible_similarity(normalize='boundaries')", "S_f^B"),
        ("flexible_similarity(normalize='boundaries', transposition=0.1)", "S_f^B(transposition=0.1)"),
        ("flexible_similarity(similarity={('comma', 'stop'): 0.5})", "S_f(similarity=…)"),
    ],
)
def test_label_is_the_name_in_the_papers(text, label):
    assert cz.parse(text).label == label


def test_default_measures_have_distinct_labels():
    assert len({KINDS[name]().label for name in ALL}) == len(ALL)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B", "boundary_similarity"),
        ("b", "boundary_similarity"),
        ("B(n_t=3)", "boundary_similarity(n_t=3)"),
        ("B(N-T=3)", "boundary_similarity(n_t=3)"),
        ("Boundary-Similarity", "boundary_similarity"),
        ("S", "segmentation_similarity"),
        ("Pk", "pk"),
        ("PK", "pk"),
        ("P_k", "pk"),
        ("WD", "window_diff"),
        ("WindowDiff", "window_diff"),
        ("WinPR", "win_pr"),
        ("F1", "crisp"),
        ("F1@2", "crisp(tolerance=2)"),
        ("f1@0", "crisp"),
        ("crisp@12", "crisp(tolerance=12)"),
        ("crisp", "boundary_f"),
        ("hit-rate@3s", "boundary_f(tolerance='3s')"),
        ("collar_f1", "boundary_f"),
        ("F@0.5", "boundary_f(tolerance=0.5)"),
        ("F@3s", "boundary_f(tolerance=3s)"),
        ("F1@500ms", "boundary_f(tolerance=0.5s)"),
        ("F1@5%", "boundary_f(tolerance='5%')"),
        ("A", "alignment_index"),
        ("ARI", "adjusted_rand_index"),
        ("coverage", "purity_coverage"),
        ("GHD(shift=2)", "generalized_hamming(shift=2)"),
        ("SF", "flexible_similarity"),
        ("SFB", "flexible_similarity(normalize='boundaries')"),
        ("S_f^B(transposition=0.1)", "flexible_similarity(normalize='boundaries', transposition=0.1)"),
        ("SFB(normalize=boundaries)", "flexible_similarity(normalize='boundaries')"),
        ("T", "t_measure"),
        ("evalb", "parseval"),
        ("pk(k=5)", "pk(window=5)"),
        ("WD(K=5)", "window_diff(window=5)"),
        ("WinPR(k=5)", "win_pr(window=5)"),
        ("pk(k=None, window=5)", "pk(window=5)"),
        ("pk(compat=nltk)", "pk(compat='nltk')"),
        ("pk(compat=NLTK, padded=true)", "pk(padded=True, compat='nltk')"),
        ("S(compat=segeval-2.0.11)", "segmentation_similarity(compat='segeval-2.0.11')"),
        ("flexible_similarity(normalize=boundaries)", "flexible_similarity(normalize='boundaries')"),
        ("B(n_t=3,)", "boundary_similarity(n_t=3)"),
        ("SF(similarity={('a,b', ')'): 0.5})", "flexible_similarity(similarity={('a,b', ')'): 0.5})"),
        (r"SF(similarity={('\'', '\"'): 0.5})", r"flexible_similarity(similarity={('\'', '\"'): 0.5})"),
    ],
)
def test_aliases(text, expected):
    assert cz.parse(text) == cz.parse(expected)


@given(measures())
def test_label_is_parsed_as_the_measure(measure: Measure):
    if "…" not in measure.label:
        assert cz.parse(measure.label) == measure


def test_k_is_the_window_in_python():
    a, b = cz.Segmentation.from_masses([2, 3, 6]), cz.Segmentation.from_masses([5, 6])
    assert cz.parse("win_pr(k=3)") == cz.parse("win_pr(window=3)")
    for function in (cz.pk, cz.window_diff):
        assert function(a, b, k=3) == function(a, b, window=3)
        with pytest.raises(OptionError, match=r"^k and window are the same option; set only one of them$"):
            function(a, b, k=3, window=3)


@pytest.mark.parametrize(
    ("measure", "names", "others"),
    [
        (
            "B(n_t=3)",
            ["B", "boundary_similarity", "b", "B(n_t=3)", "boundary_similarity(n_t=3)"],
            ["S", "B(n_t=2)", "xyz", "F", ""],
        ),
        ("SFB", ["SFB", "S_f^B", "flexible_similarity"], ["SF", "S_f"]),
        ("F1@2", ["F1", "F1@2", "crisp(tolerance=2)"], ["F1@1", "F1@0.5s"]),
    ],
)
def test_names_that_may_mean_a_measure(measure, names, others):
    assert [name for name in [*names, *others] if is_called(cz.parse(measure), name)] == names
