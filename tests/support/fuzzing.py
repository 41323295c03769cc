"""A small sample of every format, and ways to damage it.

Run as a program, it reads many damaged files one after the other, with limits of time per file and of memory::

    cd tests; python -m support.fuzzing FORMAT COUNT FOLDER
"""

from __future__ import annotations

import io
import json
import random
import re
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import caesura as cz
from caesura.errors import CaesuraError
from caesura.formats import formats
from support.shared_data import DataFolder

SECONDS = 2.0
MEGABYTES = 500


@dataclass(frozen=True)
class Sample:
    """A file, its companions, the options to read it, and a real file in the shared folder if there is one."""

    name: str
    text: str
    companions: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    real: str = ""
    real_companions: tuple[str, ...] = ()
    make: Callable[[], bytes] | None = None  # content of a binary file
    detectable: bool = True  # whether the format need not be named

    @property
    def files(self) -> dict[str, bytes]:
        """Name -> content of the file and its companions."""
        companions = {name: text.encode() for name, text in self.companions.items()}
        return {self.name: self.make() if self.make else self.text.encode(), **companions}


TEXT = "Ms. Haag plays Elianti"
TREE = "(S (NP (DT the) (NN man)) (VP (VBD ate)))"

RS3 = """<rst><header><relations><rel name="list" type="multinuc"/><rel name="cause" type="rst"/></relations></header>
<body><segment id="1" parent="4" relname="list">One .</segment>
<segment id="2" parent="4" relname="list">Two ,</segment>
<segment id="3" parent="4" relname="cause">three .</segment>
<group id="4" type="multinuc" parent="5" relname="span"/><group id="5" type="span"/></body></rst>
"""

EAF = """<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="1500"/>
<TIME_SLOT TIME_SLOT_ID="t3"/><TIME_SLOT TIME_SLOT_ID="t4" TIME_VALUE="3000"/></TIME_ORDER>
<TIER TIER_ID="ann" LINGUISTIC_TYPE_REF="top">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2">
<ANNOTATION_VALUE>A</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="t2" TIME_SLOT_REF2="t4">
<ANNOTATION_VALUE>B</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="bo" LINGUISTIC_TYPE_REF="sub" PARENT_REF="ann">
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="b1" ANNOTATION_REF="a1"><ANNOTATION_VALUE>x</ANNOTATION_VALUE>
</REF_ANNOTATION></ANNOTATION>
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="b2" ANNOTATION_REF="a1" PREVIOUS_ANNOTATION="b1">
<ANNOTATION_VALUE>y</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="top"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="sub" CONSTRAINTS="Symbolic_Subdivision"/></ANNOTATION_DOCUMENT>
"""

TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 3
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "ann"
        xmin = 0
        xmax = 3
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 1.5
            text = "A"
        intervals [2]:
            xmin = 1.5
            xmax = 3
            text = "B ""c"" d"
    item [2]:
        class = "TextTier"
        name = "bo"
        xmin = 0
        xmax = 3
        points: size = 1
        points [1]:
            number = 1.25
            mark = "H*"
"""

TYPESYSTEM = """<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>
<typeDescription><name>de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token</name><description/>
<supertypeName>uima.tcas.Annotation</supertypeName></typeDescription>
<typeDescription><name>webanno.custom.Segment</name><description/><supertypeName>uima.tcas.Annotation</supertypeName>
<features><featureDescription><name>value</name><description/><rangeTypeName>uima.cas.String</rangeTypeName>
</featureDescription></features></typeDescription></types></typeSystemDescription>
"""

XMI = f"""<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore"
xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">
<cas:NULL xmi:id="0"/>
<type:Token xmi:id="2" sofa="1" begin="0" end="3"/><type:Token xmi:id="3" sofa="1" begin="4" end="8"/>
<type:Token xmi:id="4" sofa="1" begin="9" end="14"/><type:Token xmi:id="5" sofa="1" begin="15" end="22"/>
<custom:Segment xmi:id="6" sofa="1" begin="0" end="8" value="PER"/>
<custom:Segment xmi:id="7" sofa="1" begin="15" end="22" value="WORK"/>
<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" sofaString="{TEXT}"/>
<cas:View sofa="1" members="2 3 4 5 6 7"/></xmi:XMI>
"""

REGION = {"id": "x", "type": "labels", "from_name": "label", "to_name": "text"}
REGION |= {"value": {"start": 0, "end": 8, "text": TEXT[:8], "labels": ["PER"]}}
ANNOTATIONS = [{"id": 1, "completed_by": coder, "result": [REGION]} for coder in (1, 2)]
LABEL_STUDIO = json.dumps([{"id": 7, "data": {"text": TEXT}, "annotations": ANNOTATIONS}], indent=1)

ROWS = [{"time": 0, "duration": 4, "value": "A", "confidence": None}]
ROWS += [{"time": 4, "duration": 5.5, "value": "B", "confidence": None}]
PARTS = [
    {"namespace": "segment_open", "annotation_metadata": {"annotator": {"name": coder}}, "data": ROWS}
    for coder in ("ann", "bo")
]
JAMS = json.dumps({"annotations": PARTS, "file_metadata": {"duration": 9.5}, "sandbox": {}}, indent=1)

REZ_NODES = {
    "D": {"type": "doc", "unitList": ["U1", "U2"]},
    "U1": {"type": "unit", "unitSeq": 1, "entryList": ["E1", "E2"], "tagMap": {"participant": "F"}},
    "U2": {"type": "unit", "unitSeq": 2, "entryList": ["E3", "E4"], "tagMap": {"participant": "M"}},
    **{f"E{i}": {"type": "entry", "unit": f"U{(i + 1) // 2}", "token": f"T{i}"} for i in range(1, 5)},
    **{
        f"T{i}": {"type": "token", "tagMap": {"text": token, "kind": "EndNote" if i % 2 == 0 else "Word"}}
        for i, token in enumerate(("well", ",", "yes", "."), 1)
    },
}
REZ = json.dumps({"ROOT": [{"nodeMap": REZ_NODES, "discourseNode": "D", "version": "Version 0.20.3"}]}, indent=1) + "\0"

SPANS = {"length": 6, "coders": {"ann": [[1, 6, 1, "A"], [1, 3, 2, "b"]], "bo": [[1, 6, 1, None], [4, 6, 2, None]]}}

WEBANNO = f"""#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Segment|value


#Text={TEXT}
1-1\t0-3\tMs.\tPER[1]
1-2\t4-8\tHaag\tPER[1]
1-3\t9-14\tplays\t_
1-4\t15-22\tElianti\tWORK
"""

CHAT = """@UTF8
@Begin
@Languages:\teng
@Participants:\tANN Ann Adult, BOB Bob Adult
@ID:\teng|t|ANN|||||Adult|||
@ID:\teng|t|BOB|||||Adult|||
*ANN:\tgood night .
*BOB:\twhy is that ?
*ANN:\tit is late .
@End
"""

CONLLU = """# newdoc id = x
# sent_id = 1
1\tGood\tgood\tADJ\t_\t_\t2\tamod\t_\tBeginSeg=Yes
2\tnight\tnight\tNOUN\t_\t_\t0\troot\t_\t_

# sent_id = 2
1\tMoon\tmoon\tNOUN\t_\t_\t0\troot\t_\tBeginSeg=Yes

"""


def parquet() -> bytes:
    """Return the table of the CSV sample as Parquet."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.csv").write_text(SAMPLES["table-csv"].text)
        cz.write(cz.read(Path(folder, "a.csv")), Path(folder, "a.parquet"))
        return Path(folder, "a.parquet").read_bytes()


def excel() -> bytes:
    """Return a small table as an Excel workbook."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["item", "text", "ann", "bo"], ["x", "a", 0, True], ["x", "b", 1, False], ["x", "c", 0, False]):
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def r_frame() -> Any:
    """Return a small table as a data frame that rdata can write: it does not know the text columns of pandas 3."""
    import pandas as pd

    text = pd.StringDtype("python", na_value=pd.NA)
    factor = pd.Categorical.from_codes([0, 0, 0, 1, 1], pd.Index(["x", "y"], dtype=object))
    sentences = pd.array(["a b .", "c .", "d .", "e .", "f ."], dtype=text)
    marks = {"ann": [0, 1, 0, 1, 0], "bo": [True, False, False, True, False]}
    return pd.DataFrame({"doc": factor, "sentence": sentences, **marks})


def r_data() -> bytes:
    """Return a small table as an uncompressed file of R."""
    import rdata

    with tempfile.TemporaryDirectory() as folder:
        rdata.write_rds(Path(folder, "a.rds"), r_frame(), compression=None)
        return Path(folder, "a.rds").read_bytes()


DOCUMENTS = (
    '{"item": "x", "length": 5, "reference": [2], "reference_types": ["act"], "hypothesis": [3, 3], '
    '"hypothesis_types": ["act", "scene"]}\n'
    '{"length": 4, "reference": [], "hypothesis": []}\n'
    f'{{"item": "z", "reference": "{TREE}", "reference_times": [[0, 1], [1, 2], [2, 3]], "hypothesis": "{TREE}"}}\n'
)


def documents() -> bytes:
    """Return the first two documents as Parquet."""
    with tempfile.TemporaryDirectory() as folder:
        lines = DOCUMENTS.splitlines(keepends=True)
        Path(folder, "a.jsonl").write_text("".join(lines[:2]))
        cz.write(cz.read(Path(folder, "a.jsonl")), Path(folder, "a.parquet"), "documents-parquet")
        return Path(folder, "a.parquet").read_bytes()


def json_lines(records: list[dict[str, Any]]) -> str:
    """Return one line of JSON per record."""
    return "".join(json.dumps(record) + "\n" for record in records)


DOCCANO = [{"id": 1, "text": TEXT, "label": [[0, 8, "PER"], [15, 22, "WORK"]]}, {"id": 2, "text": TEXT, "label": []}]
TOKENS = [{"text": TEXT[:8], "start": 0, "end": 8}, {"text": TEXT[9:], "start": 9, "end": 22}]
ONE_SPAN = {"tokens": TOKENS, "spans": [{"start": 0, "end": 8, "label": "PER"}]}
PRODIGY: list[dict[str, Any]] = [
    {"text": TEXT, "_input_hash": 7, **ONE_SPAN, "answer": "accept", "_annotator_id": "ann"},
    {"text": TEXT, "_input_hash": 8, "spans": [], "answer": "reject"},
]
DIALOGUES = [{"dial_id": 0, "utterances": ["a", "b", "c"], "segments": [1, 2]}]
DIALOGUES += [{"dial_id": 1, "utterances": ["d"], "segments": [1]}]

SAMPLES = {
    "table-parquet": Sample("a.parquet", "", make=parquet),
    "documents-parquet": Sample("a.parquet", "", make=documents),
    "documents-json": Sample("a.jsonl", DOCUMENTS),
    "bio": Sample(
        "a.bio",
        "-DOCSTART- -X- O\n\nGood ADJ B-X\nnight NOUN I-X\n. PUNCT O\n\nMoon NOUN B-Y\n\n-DOCSTART- -X- O\n\nno X O\n",
        real="data/everyday/conll2003.bio",
    ),
    "doccano": Sample("a.jsonl", json_lines(DOCCANO), real="data/everyday/doccano/admin.jsonl"),
    "prodigy": Sample("a.jsonl", json_lines(PRODIGY), real="data/everyday/prodigy.jsonl"),
    "choi": Sample("a.ref", "==========\none line\nanother\n==========\na third .\n==========\n"),
    "wiki-sections": Sample(
        "1234", "========,1,preface.\none line\nanother\n========,2,A.\n***LIST***.\n========,3,B.\na third .\n"
    ),
    "marked-text": Sample("a.txt", "one line\nanother\n\na third .\n", options={"marker": ""}, detectable=False),
    "segment-lines": Sample("a.edus", "Good night , moon ,\nbecause it is late .\n\nYes .\n"),
    "srt": Sample(
        "a.srt",
        "1\n00:00:01,000 --> 00:00:02,500\n<i>Good night</i>\nmoon\n\n2\n00:00:03,000 --> 00:00:04,000\nGood night .\n",
        real="data/formats/subtitles/sample.srt",
    ),
    "vtt": Sample(
        "a.vtt",
        "WEBVTT\n\nNOTE a note\n\n00:01.000 --> 00:02.500 align:start\n<v Ann>Good night</v>\nmoon &amp; stars\n",
        real="data/formats/subtitles/sample.vtt",
    ),
    "subtitle-breaks": Sample(
        "a.fr",
        "Good <eol> night moon <eob> good night <eob>\nstars <eob>\nno <eol> moon\n",
        real="data/everyday/evalsub/ref.fr",
    ),
    "conllu": Sample("a.conllu", CONLLU, real="data/everyday/disrpt_conn/eng.made.conn_test.tok"),
    "chat": Sample("a.cha", CHAT, real="data/formats/cha/hkcancor/FC-R016_v.cha"),
    "masses-json": Sample(
        "a.json",
        json.dumps({"items": {"x": {"ann": [2, 3, 6], "bo": [5, 6]}, "y": {"ann": [1]}}}, indent=1),
        real="data/linear/stargazer_hearst1997.json",
    ),
    "masses-tsv": Sample("a.tsv", "Item\tCoder\t1\t2\t3\nx\tann\t2\t3\t6\nx\tbo\t5\t6\n"),
    "boris": Sample(
        "a.csv",
        "Observation id,Total length,FPS,Subject,Behavior,Behavioral category,Behavior type,Start (s),Stop (s)\n"
        "o1_ann,120.000,25,infant,play,p,STATE,0.000,40.500\no1_ann,120.000,25,infant,smile,p,POINT,33.200,33.200\n"
        'o1_ann,120.000,25,mother,"hold, carry",q,STATE,0:00:10.5,60\no1_bo,120.000,25,infant,play,p,STATE,0.000,41.100\n',
        options={"observation": "{item}_{coder}"},
        real="data/everyday/boris_aggregated.csv",
    ),
    "json": Sample("a.json", json.dumps(DIALOGUES), real="data/everyday/dialseg711.json"),
    "table-csv": Sample(
        "a.csv",
        'item,stream,unit,text,types,ann,bo\nx,F,1,well,"["","", ""."", ""?""]",",",\nx,F,2,no,,.,?\nx,M,1,yes,,.,.\n',
    ),
    "table-excel": Sample("a.xlsx", "", make=excel),
    "table-r": Sample("a.rds", "", make=r_data),
    "table-tsv": Sample("a.tsv", "item\tunit\ttext\tann\tbo\nx\t1\ta\t0\t1\nx\t2\tb\t1\t0\nx\t3\tc\t0\t0\n"),
    "bits": Sample("a.bits", "x\t0100010000\ny\t00100\n"),
    "segsimflex": Sample(
        "a.csv", 'Speaker,Utterance\nF,a b .\nM,c ?\nF,"d e ,"\n', options={"symbols": [".", "?", ","]}
    ),
    "rez": Sample("a.rez", REZ, options={"unclassified": ";"}, real="data/formats/rez/parting_0.20.1.rez"),
    "spans-json": Sample(
        "a.json", json.dumps({"items": {"x": SPANS, "y": SPANS}}, indent=1), real="data/discourse/gcdt_spans.json"
    ),
    "spans-csv": Sample(
        "a.csv", "item,coder,start,end,level,label\nx,ann,1,6,1,A\nx,ann,1,3,2,b\nx,bo,1,6,1,A\nx,bo,4,6,2,c\n"
    ),
    "rs3": Sample("a.rs3", RS3, real="data/formats/rs3/rst_tace/multiAndMonoNuc.rs3"),
    "dis": Sample(
        "a.dis",
        "( Root (span 1 3)\n ( Nucleus (span 1 2) (rel2par span)\n  ( Nucleus (leaf 1) (rel2par span) (text _!One_!) )\n"
        "  ( Satellite (leaf 2) (rel2par cause) (text _!two ._!) )\n )\n ( Satellite (leaf 3) (rel2par x) (text _!Three !!_) )\n)\n",
        real="data/gum/rst_lisp_nary/GUM_bio_enfant.dis",
    ),
    "rsd": Sample(
        "a.rsd",
        "1\tOne\t0\t_\t_\t_\t2\tcause_r\t_\t_\n2\ttwo\t0\t_\t_\t_\t0\tROOT\t_\t_\n"
        "3\tthree .\t0\t_\t_\t_\t2\tlist_m\t_\t_\n",
    ),
    "lab": Sample("a.lab", "0.0 4.5 A\n4.5 9.25 B\n9.25 12.0 A\n"),
    "audacity": Sample(
        "a.txt",
        "0.000000\t4.500000\tA\n4.500000\t9.250000\tB c\n\\\t100.000000\t2000.000000\n9.250000\t9.250000\tclick\n",
        real="data/everyday/audacity/ann/talk1.txt",
    ),
    "elan-text": Sample(
        "a.txt",
        "IU_ann\t\t00:00:00.500\t0.500\t00:00:03.000\t3.000\t00:00:02.500\t2.500\tso we\n"
        "IU_bo\tF\t00:00:00.500\t0.500\t00:00:04.000\t4.000\t00:00:03.500\t3.500\tso we went\n",
    ),
    "salami": Sample(
        "a.txt",
        "0.000\tSilence\n0.464\tA, a, Intro\n7.5\ta\n14.75\tB, b, Verse\n25.0\tend\n",
        real="data/hierarchical_time/salami_original/1019_textfile1.txt",
    ),
    "ptb": Sample("a.ptb", f"{TREE}\n{TREE}\n", real="data/trees/gum_two_parsers/GUM_bio_enfant.old.ptb"),
    "textgrid": Sample("a.TextGrid", TEXTGRID, real="data/formats/textgrid/praatio/bobby_words.TextGrid"),
    "eaf": Sample("a.eaf", EAF, options={"tiers": "*"}, real="data/formats/eaf/test.eaf"),
    "ctm": Sample(
        "a.ctm", ";; times\ntalk 1 0.10 0.20 good 0.98\ntalk 1 0.30 0.45 night\ntalk 1 1.00 1e-1 moon -0.5\n"
    ),
    "rttm": Sample(
        "a.rttm",
        ";; speech\nSPKR-INFO c 1 <NA> <NA> <NA> unknown A <NA> <NA>\nSPEAKER c 1 0.00 2.50 <NA> <NA> A <NA> <NA>\n"
        "SPEAKER c 1 2.50 1.25 <NA> <NA> B <NA> <NA>\nSPEAKER d 1 1e-1 .5 <NA> <NA> A 0.5\n",
        real="data/everyday/rttm/hyp.rttm",
    ),
    "brat": Sample(
        "a.ann",
        "T1\tPER 0 8\tMs. Haag\nT2\tWORK 15 22\tElianti\nR1\tArc Arg1:T1 Arg2:T2\n",
        {"a.txt": TEXT},
        {"edges": "token"},
        real="data/formats/brat/000-introduction.ann",
        real_companions=("data/formats/brat/000-introduction.txt",),
    ),
    "webanno-tsv": Sample("a.tsv", WEBANNO, real="data/formats/webanno_tsv/neuged/test_input.tsv"),
    "xmi": Sample("a.xmi", XMI, {"TypeSystem.xml": TYPESYSTEM}),
    "label-studio": Sample("a.json", LABEL_STUDIO),
    "jams": Sample("a.jams", JAMS),
}
"""Format -> sample; a test fails for a format that is not here."""

# -- damage -----------------------------------------------------------------------------------------------------------

Damage = Callable[[random.Random, bytes], bytes]

_LARGE = (b"1e308", b"1e999", b"-1e-999", b"99999999999999999999", b"2147483648", b"9" * 5000)
_ODD = (b"nan", b"inf", b"0x10", b"1.5", "\u0663".encode(), "\u00b2".encode(), b"1_000", b"")
_NUMBERS = (b"0", b"-1", *_LARGE, *_ODD)
_OPENING = (b"(", b"[", b'{"a":', b"<a>", b'[{"a":', b"((", b'"', b"\t", b",", b"<a><b>")
_LINE_BREAKS = ("\u2028".encode(), "\x85".encode(), b"\r")
_STRANGE = (b"\xff\xfe", b"\xef\xbb\xbf", *_LINE_BREAKS, b"\xed\xa0\x80", b"\x1a", b"\\u0000", b"&x;")


def truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def flip(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        changed[rng.randrange(len(changed))] = rng.choice((rng.randrange(256), rng.randrange(32, 127)))
    return bytes(changed)


def duplicate_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at, number = rng.randrange(len(lines)), rng.choice((1, 1, 5, 50))
    return b"\n".join([*lines[: at + number], *lines[at : at + number] * rng.choice((1, 1, 3)), *lines[at + number :]])


def delete_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join([*lines[:at], *lines[at + rng.choice((1, 1, 2, 5)) :]])


def swap_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def huge_numbers(rng: random.Random, data: bytes) -> bytes:
    numbers = list(re.finditer(rb"[0-9]+", data))
    for number in sorted(rng.sample(numbers, min(len(numbers), rng.choice((1, 1, 2)))), key=lambda m: -m.start()):
        data = data[: number.start()] + rng.choice(_NUMBERS) + data[number.end() :]
    return data


def deep_nesting(rng: random.Random, data: bytes) -> bytes:
    at = rng.choice((0, rng.randrange(len(data))))
    return data[:at] + rng.choice(_OPENING) * rng.choice((10, 1_000, 100_000)) + data[at:]


def nul_bytes(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + b"\0" * rng.choice((1, 1, 100)) + data[at:]


def wrong_encoding(rng: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    encoding = rng.choice(("utf-16", "utf-16-be", "utf-32", "latin-1", "utf-7", "cp037"))
    return text.replace("a", "\xe4").encode(encoding, "replace")


def strange_bytes(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.choice(_STRANGE) + data[at + rng.choice((0, 1)) :]


_LINES: tuple[Damage, ...] = (duplicate_lines, delete_lines, swap_lines)
_BYTES: tuple[Damage, ...] = (nul_bytes, wrong_encoding, strange_bytes)
DAMAGES: tuple[Damage, ...] = (truncate, flip, *_LINES, huge_numbers, deep_nesting, *_BYTES)


def damaged(seed: int, data: bytes) -> bytes:
    """Return the content of a file after one damage, sometimes two."""
    rng = random.Random(seed)
    changed = DAMAGES[seed % len(DAMAGES)](rng, data)
    return rng.choice(DAMAGES)(rng, changed) if changed and rng.random() < 0.3 else changed


# -- reading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """A file to damage, its valid content, and the file to read, which may be a different one."""

    path: Path
    data: bytes
    read: Path


def write_samples(name: str, folder: Path, shared: DataFolder | None) -> list[Target]:
    """Write the sample into one folder and the published file into another, with their companions."""
    sample = SAMPLES[name]
    sets = [sample.files]
    if shared is not None and sample.real and shared.find(sample.real) is not None:
        sets.append({Path(name).name: (shared / name).read_bytes() for name in (sample.real, *sample.real_companions)})
    targets = []
    for i, files in enumerate(sets):
        here = folder / f"{name}-{i}"
        here.mkdir()
        main = here / next(iter(files))
        for file_name, data in files.items():
            (here / file_name).write_bytes(data)
            targets.append(Target(here / file_name, data, main))
    return targets


def read_damaged(target: Target, seed: int, name: str) -> str:
    """Return how reading ends after one damage, and restore the file. One time in three the format is detected."""
    target.path.write_bytes(damaged(seed, target.data))
    try:
        return read(target.read, name if seed % 3 or not SAMPLES[name].detectable else None, **SAMPLES[name].options)
    finally:
        target.path.write_bytes(target.data)


def read(path: Path, name: str | None, **options: Any) -> str:
    """Return how reading ended: with a corpus or an error of this package. Other errors are raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            corpus = cz.read(path, name, **options)
        except CaesuraError as problem:
            return "error" if str(problem) else "an error without a word"
    return "corpus" if isinstance(corpus, cz.Corpus) else "no corpus"


class _TooLong(BaseException):
    """Raised by the timer; no ``except Exception`` catches it."""


def _stop(*_: object) -> None:
    raise _TooLong


def _memory() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def campaign(name: str, count: int, shared: DataFolder) -> dict[str, Any]:
    """Read many damaged files, with limits of time and memory; return how they ended and what went wrong."""
    ended: Counter[str] = Counter()
    wrong: list[str] = []
    longest = 0.0
    signal.signal(signal.SIGALRM, _stop)
    with tempfile.TemporaryDirectory() as folder:
        targets = write_samples(name, Path(folder), shared)
        for target in targets:
            assert (
                read(target.read, name, **SAMPLES[name].options) == "corpus"
            )  # and what is imported on the way is not the file's fault
        limit = _memory() + MEGABYTES * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for seed in range(count):
            begun = time.process_time()
            signal.setitimer(signal.ITIMER_REAL, 3 * SECONDS)
            try:
                ended[read_damaged(targets[seed % len(targets)], seed // len(targets), name)] += 1
            except (Exception, _TooLong) as problem:
                wrong.append(f"seed {seed}: {type(problem).__name__}: {str(problem)[:200]}")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            took = time.process_time() - begun
            longest = max(longest, took)
            if took > SECONDS:
                wrong.append(f"seed {seed}: took {took:.1f} s")
    return {"format": name, "ended": dict(ended), "longest": round(longest, 3), "wrong": wrong}


if __name__ == "__main__":
    chosen, number = sys.argv[1], int(sys.argv[2])
    assert chosen in formats()
    print(json.dumps(campaign(chosen, number, DataFolder(Path(sys.argv[3])))))
