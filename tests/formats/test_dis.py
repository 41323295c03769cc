"""Rhetorical structure in brackets, .dis, and as dependencies, .rsd."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import CaesuraWarning
from caesura.formats import detect
from support.files import file_writer, refusal

DIS = """( Root (span 1 4)
  ( Nucleus (span 1 3) (rel2par span)
    ( Nucleus (leaf 1) (rel2par span) (text _!The shop ( the old one ) closed_!) )
    ( Satellite (span 2 3) (rel2par cause)
      ( Nucleus (leaf 2) (rel2par joint-list) (text _!because it rained!_) )
      ( Nucleus (leaf 3) (rel2par joint-list) (text _!and snowed .<P>_!) )
    )
  )
  ( Satellite (leaf 4) (rel2par evaluation) (text _!What a pity !_!) ) //TT_ERR
)
"""
EDUS = ("The shop ( the old one ) closed", "because it rained", "and snowed .", "What a pity !")
write_file = file_writer("t.dis")


def test_spans(tmp_path: Path) -> None:
    # ((1 (2 3)) 4)
    corpus = cz.read(write_file(tmp_path, DIS))
    hierarchy = corpus["t", "t"]
    assert [tuple(span) for span in hierarchy.spans] == [(1, 4, 1, None), (1, 3, 2, None), (2, 3, 3, "cause")]
    assert hierarchy.units == EDUS
    assert dict(corpus.reading.roles) == {"text": "EDUs", "rel2par": "labels"}
    assert corpus.reading.notes == ("the marks <P> of paragraphs were left out",)
    assert cz.read(write_file(tmp_path, DIS.replace("\n", "\r\n")), item="i", coder="c")["i", "c"] == hierarchy
    assert cz.read(write_file(tmp_path, " ".join(DIS.split()), "t.txt"))["t", "t"] == hierarchy
    assert cz.read(write_file(tmp_path, "(Root (leaf 1) (text _!One ._!))"))["t", "t"].units == ("One .",)


def test_segments(tmp_path: Path) -> None:
    segmentation = cz.read(write_file(tmp_path, DIS), as_="segments")["t", "t"]
    assert segmentation.masses == (8, 3, 3, 4)
    assert segmentation.units == tuple(" ".join(EDUS).split())


def test_the_label_is_the_relation_of_the_outermost(tmp_path: Path) -> None:
    leaves = "(Nucleus (leaf 1) (rel2par list) (text _!a_!)) (Nucleus (leaf 2) (rel2par list) (text _!b_!))"
    nested = f"(Nucleus (span 1 2) (rel2par x) (Nucleus (span 1 2) (rel2par y) {leaves}))"
    path = write_file(tmp_path, f"(Root (span 1 2) {nested})")
    assert [tuple(span) for span in cz.read(path)["t", "t"].spans] == [(1, 2, 1, "x")]


def test_deep_trees(tmp_path: Path) -> None:
    n = 3000
    opened = "".join(f"(Nucleus (span {i} {n}) (rel2par r) (Satellite (leaf {i}) (text _!a_!)) " for i in range(1, n))
    text = f"(Root (span 1 {n}) {opened}(Nucleus (leaf {n}) (text _!a_!)) {')' * n}"
    assert cz.read(write_file(tmp_path, text))["t", "t"].depth == n - 1


LEAF = "(Nucleus (leaf 1) (text _!a_!))"
SPAN = "the numbers after span must be those of the first and the last leaf of the node"
ONE_TEXT = "each leaf must have one text; it is a second text, or is not in a leaf"
BAD = {
    "open": ("( Root (span 1 1)\n(Nucleus (leaf 1) (text _!a_!)", 2, "this bracket is never closed"),
    "closed": (f"(Root {LEAF}))", 1, "a part must be inside a node; the first node must be ( Root ..."),
    "no root": (LEAF, 1, "the first node, and only the first, must be Root; got Nucleus"),
    "two roots": (f"(Root {LEAF})\n(Root {LEAF})", 2, "the first node, and only the first, must be Root; got Root"),
    "after": (f"(Root {LEAF})\n{LEAF}", 2, "Root must contain all nodes; got Nucleus after its end"),
    "inside": (f"(Root (leaf 1) (text _!a_!)\n{LEAF})", 2, "a leaf cannot contain nodes; got Nucleus inside leaf 1"),
    "order": ("(Root\n(Nucleus (leaf 2) (text _!a_!)))", 2, "leaves must be numbered 1, 2, 3 ...; got 2 for 1"),
    "span": (f"(Root (span 1 2)\n{LEAF})", 1, f"{SPAN}, 1 and 1; got 1 and 2"),
    "no text": ("(Root\n(Nucleus (leaf 1)))", 2, "leaf 1 must have a text; it has none"),
    "empty text": ("(Root\n(Nucleus (leaf 1) (text _! _!)))", 2, "each leaf must have one text; it is empty"),
    "two texts": ("(Root\n(Nucleus (leaf 1) (text _!a_!) (text _!b_!)))", 2, ONE_TEXT),
    "no leaf": ("(Root (span 1 1) (Nucleus (span 1 1)))", 1, "a node must contain a leaf; it has none"),
    "other": (
        f"(Root {LEAF}\n(Ncleus (leaf 2)))",
        2,
        "expected ( Root, ( Nucleus, ( Satellite, (span 1 2), (leaf 1), (rel2par name) or (text _!...!_); "
        "got '(Ncleus (leaf 2)))'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    content, line, message = BAD[name]
    error = refusal(cz.read, write_file(tmp_path, content))
    assert (error.line, error.problem) == (line, message)


# -- dependencies -----------------------------------------------------------------------------------------------------


def rsd(*rows: tuple[int, str]) -> str:
    """Return a file whose EDUs have these heads and relations."""
    return "".join(f"{i}\te{i} .\t0\t_\t_\t_\t{head}\t{rel}\t_\t_\n" for i, (head, rel) in enumerate(rows, 1))


RSD = rsd((2, "attribution_r"), (0, "ROOT"), (2, "cause_r"), (3, "joint_m"), (2, "evaluation_r"))


def test_subtrees(tmp_path: Path) -> None:
    #  1 <- 2 -> 3 -> 4      2 -> 5
    corpus = cz.read(write_file(tmp_path, "# a comment\n" + RSD, "t.rsd"))
    hierarchy = corpus["t", "t"]
    assert [tuple(span) for span in hierarchy.spans] == [(1, 5, 1, None), (3, 4, 2, "cause")]
    assert hierarchy.units == ("e1 .", "e2 .", "e3 .", "e4 .", "e5 .")
    assert dict(corpus.reading.roles) == {"2": "EDUs", "7": "heads", "8": "labels"}
    assert cz.read(tmp_path / "t.rsd", as_="segments")["t", "t"].masses == (2,) * 5
    assert detect(write_file(tmp_path, RSD, "t.conllu")).name == "conllu"


def test_several_roots(tmp_path: Path) -> None:
    corpus = cz.read(write_file(tmp_path, rsd((0, "ROOT"), (1, "x"), (0, "_"), (3, "y"), (3, "z_m")), "t.rsd"))
    assert [span[:2] for span in corpus["t", "t"].spans] == [(1, 2), (3, 5)]
    assert corpus.reading.notes == ("2 EDUs have no head",)


def test_a_subtree_with_a_gap(tmp_path: Path) -> None:
    # 1 -> 3 and 2 -> 4 cross
    path = write_file(tmp_path, rsd((0, "ROOT"), (1, "x"), (1, "y"), (2, "z")), "t.rsd")
    error = refusal(cz.read, path)
    problem = "the yield of EDU 2 must have no gap; it has 2 of the EDUs 2-4; or read with repair=True"
    assert error.line == 2
    assert error.problem.startswith(problem)
    with pytest.warns(CaesuraWarning, match="the yield of EDU 2, 2-4, has gaps and was excluded"):
        assert [span[:2] for span in cz.read(path, repair=True)["t", "t"].spans] == [(1, 4)]


BAD_RSD = {
    "columns": ("1\ta\t0\n", 1, "an EDU must have 10 columns with tabs between; got 3"),
    "number": (RSD + RSD, 6, "EDUs must be numbered 1, 2, 3 ...; got '1' for 6; a file must contain one document"),
    "text": ("1\t \t0\t_\t_\t_\t0\tROOT\t_\t_\n", 1, "an EDU must have a text in column 2; it is empty"),
    "head": ("1\ta\t0\t_\t_\t_\t_\tROOT\t_\t_\n", 1, "column 7 must be the number of the head, or 0; got '_'"),
    "beyond": (rsd((0, "ROOT"), (3, "x")), 2, "the head of EDU 2 must be another EDU, 1 to 2, or 0; got 3"),
    "itself": (rsd((0, "ROOT"), (2, "x")), 2, "the head of EDU 2 must be another EDU, 1 to 2, or 0; got 2"),
    "cycle": (rsd((0, "ROOT"), (3, "x"), (2, "x")), 2, "EDU 2 must depend on the root; its heads form a cycle"),
    "none": ("# nothing\n", None, "expected at least one EDU; got none"),
}


@pytest.mark.parametrize("name", BAD_RSD)
def test_damaged_dependencies(name: str, tmp_path: Path) -> None:
    content, line, message = BAD_RSD[name]
    error = refusal(cz.read, write_file(tmp_path, content, "t.rsd"))
    assert (error.line, error.problem) == (line, message)
