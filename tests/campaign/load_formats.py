"""Valid files of 1 MB in every format that :mod:`tests.campaign.load` does not try already.

The text of a format is the same in all files; only the annotation is random. So two files are two coders of the same text.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import pairwise

WORDS = [
    "the",
    "old",
    "man",
    "and",
    "sea",
    "went",
    "out",
    "far",
    "into",
    "a",
    "blue",
    "night",
    "without",
    "any",
    "fish",
    "or",
    "luck",
]
BYTES = 1_000_000
"""Size of a file."""


def words(number: int) -> list[str]:
    """Return a text of some words, always the same."""
    return [WORDS[(7 * k + k // 5) % len(WORDS)] for k in range(number)]


def _segments(rng: random.Random, tokens: list[str], rate: float = 0.12) -> list[list[str]]:
    """Return the text in random segments."""
    segments: list[list[str]] = [[]]
    for token in tokens:
        segments[-1].append(token)
        if rng.random() < rate:
            segments.append([])
    return [segment for segment in segments if segment]


def _times(rng: random.Random, number: int) -> Iterator[tuple[float, float, str]]:
    """Yield adjacent intervals with labels."""
    cuts = sorted({round(rng.uniform(0.01, 5 * number - 0.01), 2) for _ in range(number - 1)})
    for start, end in pairwise([0.0, *cuts, 5.0 * number]):
        yield start, end, rng.choice("ABCD")


def _lines(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


# -- segmentations of texts -------------------------------------------------------------------------------------------


def masses_tsv(rng: random.Random) -> str:
    """Return one row per item and coder."""
    rows = []
    for item in range(1250):
        for coder in ("ann", "bo"):
            masses = [len(segment) for segment in _segments(rng, [""] * 1500)]
            rows.append("\t".join([f"x{item}", coder, *map(str, masses)]))
    return _lines(["Item\tCoder\t1\t2\t3", *rows])


def bits(rng: random.Random) -> str:
    """Return one document per line."""
    return _lines([f"x{k}\t" + "".join(rng.choices("0001", k=190)) for k in range(5000)])


def subtitle_breaks(rng: random.Random) -> str:
    """Return one text per line."""
    tokens = words(20)
    line = [" <eol> ".join(" ".join(part) for part in _segments(rng, tokens, 0.2)) + " <eob>" for _ in range(9000)]
    return _lines(line)


def choi(rng: random.Random) -> str:
    """Return sentences as lines."""
    sentences = [" ".join(words(8)) for _ in range(28_000)]
    parts = ["\n".join(part) for part in _segments(rng, sentences)]
    return "==========\n" + "\n==========\n".join(parts) + "\n==========\n"


def wiki_sections(rng: random.Random) -> str:
    """Return sections with levels and titles."""
    sentences = [" ".join(words(8)) for _ in range(24_000)]
    return "".join(
        f"========,{rng.randint(1, 3)},title {k}.\n" + "\n".join(part) + "\n"
        for k, part in enumerate(_segments(rng, sentences))
    )


def blank_lines(rng: random.Random) -> str:
    """Return segments with blank lines between them."""
    sentences = [" ".join(words(8)) for _ in range(28_000)]
    return "\n\n".join("\n".join(part) for part in _segments(rng, sentences)) + "\n"


def segment_lines(rng: random.Random) -> str:
    """Return one segment per line, paragraphs between blank lines."""
    paragraphs = [_segments(rng, words(60)) for _ in range(3500)]
    return "\n\n".join("\n".join(" ".join(part) for part in paragraph) for paragraph in paragraphs) + "\n"


def segsimflex(rng: random.Random) -> str:
    """Return one row per utterance that ends in a symbol."""
    rows = []
    for speaker, tokens in (("F", words(120_000)), ("M", words(90_000))):
        rows += [f'{speaker},"{" ".join(part)} {rng.choice(".?,")}"' for part in _segments(rng, tokens)]
    return _lines(["Speaker,Utterance", *rows])


def conllu(rng: random.Random) -> str:
    """Return one token per line, sentences of 12 words in documents of 20."""
    lines = []
    for sentence in range(2600):
        if sentence % 20 == 0:
            lines.append(f"# newdoc id = d{sentence}")
        lines.append(f"# sent_id = {sentence}")
        for k, word in enumerate(words(12), 1):
            segment = "BeginSeg=Yes" if k == 1 or rng.random() < 0.1 else "_"
            lines.append(f"{k}\t{word}\t{word}\tX\t_\t_\t0\troot\t_\t{segment}")
        lines.append("")
    return _lines(lines)


def bio(rng: random.Random) -> str:
    """Return one token per line with a tag, documents of 20 sentences."""
    lines = []
    for sentence in range(6000):
        if sentence % 20 == 0:
            lines += ["-DOCSTART- O", ""]
        inside = ""
        for word in words(18):
            if rng.random() < 0.2:
                inside = rng.choice(["", "PER", "LOC"])
                lines.append(f"{word} B-{inside}" if inside else f"{word} O")
            else:
                lines.append(f"{word} I-{inside}" if inside else f"{word} O")
        lines.append("")
    return _lines(lines)


def dialogues_json(rng: random.Random) -> str:
    """Return dialogues with the lengths of their segments."""
    utterances = [" ".join(words(6)) for _ in range(30)]
    dialogues = [
        {"dial_id": k, "utterances": utterances, "segments": [len(part) for part in _segments(rng, utterances)]}
        for k in range(950)
    ]
    return json.dumps(dialogues)


def rezonator(rng: random.Random) -> str:
    """Return units of tokens."""
    nodes: dict[str, object] = {}
    number = 2800
    nodes["D"] = {"type": "doc", "unitList": [f"U{k}" for k in range(number)]}
    for k in range(number):
        entries = [f"E{k}-{j}" for j in range(3)]
        nodes[f"U{k}"] = {
            "type": "unit",
            "unitSeq": k + 1,
            "entryList": entries,
            "tagMap": {"participant": "FM"[k % 2]},
        }
        for j, entry in enumerate(entries):
            nodes[entry] = {"type": "entry", "unit": f"U{k}", "token": f"T{k}-{j}"}
            token = rng.choice(",.?") if j == 2 else words(3)[j]
            kind = "EndNote" if j == 2 else "Word"
            nodes[f"T{k}-{j}"] = {"type": "token", "tagMap": {"text": token, "kind": kind}}
    root = {"nodeMap": nodes, "discourseNode": "D", "version": "Version 0.20.3"}
    return json.dumps({"ROOT": [root]}) + "\0"


def chat(rng: random.Random) -> str:
    """Return utterances of two speakers."""
    names = "@Participants:\tANN Ann Adult, BOB Bob Adult\n@ID:\teng|t|ANN|||||Adult|||\n@ID:\teng|t|BOB|||||Adult|||\n"
    rows = []
    for speaker, tokens in (("ANN", words(90_000)), ("BOB", words(90_000))):
        rows += [f"*{speaker}:\t{' '.join(part)} {rng.choice('.?!')}" for part in _segments(rng, tokens)]
    return f"@UTF8\n@Begin\n@Languages:\teng\n{names}" + _lines([*rows, "@End"])


# -- times ------------------------------------------------------------------------------------------------------------


def _clock(seconds: float, comma: str) -> str:
    thousandths = round(seconds * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{comma}{rest % 1000:03}"


def _cues(rng: random.Random, comma: str) -> Iterator[str]:
    for k, part in enumerate(_segments(rng, words(110_000))):
        yield f"{_clock(3 * k, comma)} --> {_clock(3 * k + 2.5, comma)}\n{' '.join(part)}\n"


def srt(rng: random.Random) -> str:
    """Return numbered cues."""
    return "\n".join(f"{k}\n{cue}" for k, cue in enumerate(_cues(rng, ","), 1))


def vtt(rng: random.Random) -> str:
    """Return cues of WebVTT."""
    return "WEBVTT\n\n" + "\n".join(_cues(rng, "."))


def lab(rng: random.Random) -> str:
    """Return segments of music."""
    return _lines([f"{start} {end} {label}" for start, end, label in _times(rng, 50_000)])


def audacity(rng: random.Random) -> str:
    """Return a track of labels."""
    return _lines([f"{start:.6f}\t{end:.6f}\t{label}" for start, end, label in _times(rng, 34_000)])


def salami(rng: random.Random) -> str:
    """Return times with labels of two levels."""
    lines = [f"{start}\t{rng.choice('ABC')}, {rng.choice('abc')}, Verse" for start, _, _ in _times(rng, 45_000)]
    return _lines([*lines, "225001.0\tend"])


def rttm(rng: random.Random) -> str:
    """Return turns of two speakers in recordings."""
    rows = []
    for recording in range(90):
        for start, end, _ in _times(rng, 200):
            rows.append(f"SPEAKER r{recording} 1 {start:.2f} {end - start:.2f} <NA> <NA> {rng.choice('AB')} <NA> <NA>")
    return _lines(rows)


def ctm(rng: random.Random) -> str:
    """Return words with their times."""
    lines = []
    for k, word in enumerate(words(40_000)):
        lines.append(f"talk 1 {0.5 * k:.2f} {rng.uniform(0.1, 0.5):.2f} {word}")
    return _lines(lines)


def elan_text(rng: random.Random) -> str:
    """Return intervals of two tiers."""
    rows = []
    for tier in ("IU_ann", "IU_bo"):
        for start, end, label in _times(rng, 6200):
            times = "\t".join(f"{_clock(time, '.')}\t{time:.3f}" for time in (start, end, end - start))
            rows.append(f"{tier}\t\t{times}\t{label}")
    return _lines(rows)


def eaf(rng: random.Random) -> str:
    """Return two tiers of ELAN."""
    slots, tiers = [], []
    for tier in ("ann", "bo"):
        entries = []
        for k, (start, end, label) in enumerate(_times(rng, 1700)):
            slots += [
                f'<TIME_SLOT TIME_SLOT_ID="{tier}{k}s" TIME_VALUE="{round(start * 1000)}"/>',
                f'<TIME_SLOT TIME_SLOT_ID="{tier}{k}e" TIME_VALUE="{round(end * 1000)}"/>',
            ]
            entries.append(
                f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{tier}{k}" TIME_SLOT_REF1="{tier}{k}s" '
                f'TIME_SLOT_REF2="{tier}{k}e"><ANNOTATION_VALUE>{label}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>'
            )
        tiers.append(f'<TIER TIER_ID="{tier}" LINGUISTIC_TYPE_REF="top">{"".join(entries)}</TIER>')
    return (
        f'<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>{"".join(slots)}</TIME_ORDER>'
        f'{"".join(tiers)}<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="top"/></ANNOTATION_DOCUMENT>'
    )


def jams(rng: random.Random) -> str:
    """Return the segments of two annotators."""
    annotations = [
        {
            "namespace": "segment_open",
            "annotation_metadata": {"annotator": {"name": coder}},
            "data": [
                {"time": start, "duration": round(end - start, 2), "value": label, "confidence": None}
                for start, end, label in _times(rng, 6500)
            ],
        }
        for coder in ("ann", "bo")
    ]
    return json.dumps({"annotations": annotations, "file_metadata": {"duration": 32_500.0}, "sandbox": {}})


def boris(rng: random.Random) -> str:
    """Return behaviours in observations by two coders."""
    head = "Observation id,Total length,FPS,Subject,Behavior,Behavioral category,Behavior type,Start (s),Stop (s)"
    rows = []
    for observation in range(60):
        for coder in ("ann", "bo"):
            for start, end, label in _times(rng, 150):
                stop = (start + end) / 2
                rows.append(f"o{observation}_{coder},750.000,25,infant,{label},p,STATE,{start:.3f},{stop:.3f}")
    return _lines([head, *rows])


# -- spans ------------------------------------------------------------------------------------------------------------


def _offsets(rng: random.Random, tokens: list[str], rate: float = 0.1) -> list[tuple[int, int, str]]:
    """Return random spans of one to three words, in characters of the words with spaces between them."""
    starts, place = [], 0
    for token in tokens:
        starts.append(place)
        place += len(token) + 1
    spans, k = [], 0
    while k < len(tokens):
        if rng.random() < rate:
            last = min(k + rng.randrange(3), len(tokens) - 1)
            spans.append((starts[k], starts[last] + len(tokens[last]), rng.choice(["PER", "LOC", "ORG"])))
            k = last
        k += 1
    return spans


def label_studio(rng: random.Random) -> str:
    """Return tasks with the spans of two users."""
    tokens = words(60)
    text = " ".join(tokens)

    def result(k: int, span: tuple[int, int, str]) -> dict[str, object]:
        start, end, label = span
        value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
        return {"id": f"r{k}", "type": "labels", "from_name": "label", "to_name": "text", "value": value}

    tasks = [
        {
            "id": task,
            "data": {"text": text},
            "annotations": [
                {
                    "id": 2 * task + coder,
                    "completed_by": coder,
                    "result": [result(k, span) for k, span in enumerate(_offsets(rng, tokens))],
                }
                for coder in (1, 2)
            ],
        }
        for task in range(500)
    ]
    return json.dumps(tasks)


def doccano(rng: random.Random) -> str:
    """Return one text per line."""
    tokens = words(60)
    return _lines(
        [json.dumps({"id": k, "text": " ".join(tokens), "label": _offsets(rng, tokens)}) for k in range(2400)]
    )


def prodigy(rng: random.Random) -> str:
    """Return one text and annotator per line."""
    tokens = words(60)
    rows = []
    for k in range(1100):
        for coder in ("ann", "bo"):
            spans = [{"start": start, "end": end, "label": label} for start, end, label in _offsets(rng, tokens)]
            rows.append(
                json.dumps(
                    {
                        "text": " ".join(tokens),
                        "_input_hash": k,
                        "spans": spans,
                        "answer": "accept",
                        "_annotator_id": coder,
                    }
                )
            )
    return _lines(rows)


def webanno(rng: random.Random) -> str:
    """Return one token per line, sentences of 12 words."""
    lines = ["#FORMAT=WebAnno TSV 3.3", "#T_SP=webanno.custom.Segment|value", "", ""]
    place = number = 0
    for sentence in range(1, 3200):
        tokens = words(12)
        lines.append(f"#Text={' '.join(tokens)}")
        for k, token in enumerate(tokens, 1):
            number += 1
            mark = rng.choice(["_", "_", "_", f"PER[{number}]", "LOC"])
            lines.append(f"{sentence}-{k}\t{place}-{place + len(token)}\t{token}\t{mark}")
            place += len(token) + 1
        lines.append("")
    return _lines(lines)


def xmi(rng: random.Random) -> str:
    """Return tokens and segments of a long text."""
    tokens = words(10_500)
    lines, place, number = [], 0, 2
    members = []
    for token in tokens:
        lines.append(f'<type:Token xmi:id="{number}" sofa="1" begin="{place}" end="{place + len(token)}"/>')
        members.append(number)
        place += len(token) + 1
        number += 1
    for start, end, label in _offsets(rng, tokens):
        lines.append(f'<custom:Segment xmi:id="{number}" sofa="1" begin="{start}" end="{end}" value="{label}"/>')
        members.append(number)
        number += 1
    return (
        '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
        'xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore" '
        'xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">\n<cas:NULL xmi:id="0"/>\n'
        + "\n".join(lines)
        + f'\n<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" sofaString="{" ".join(tokens)}"/>'
        f'<cas:View sofa="1" members="{" ".join(map(str, members))}"/></xmi:XMI>\n'
    )


TYPES = """<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>
<typeDescription><name>de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token</name><description/>
<supertypeName>uima.tcas.Annotation</supertypeName></typeDescription>
<typeDescription><name>webanno.custom.Segment</name><description/><supertypeName>uima.tcas.Annotation</supertypeName>
<features><featureDescription><name>value</name><description/><rangeTypeName>uima.cas.String</rangeTypeName>
</featureDescription></features></typeDescription></types></typeSystemDescription>
"""
"""The type system that belongs to :func:`xmi`."""

_BRAT_WORDS = 90_000


def brat(rng: random.Random) -> str:
    """Return spans of a long text."""
    text = brat_text()
    spans = _offsets(rng, words(_BRAT_WORDS), 0.4)
    return _lines([f"T{k}\t{label} {start} {end}\t{text[start:end]}" for k, (start, end, label) in enumerate(spans, 1)])


def brat_text() -> str:
    """Return the text that belongs to :func:`brat`."""
    return " ".join(words(_BRAT_WORDS))


# -- discourse --------------------------------------------------------------------------------------------------------


def rs3(rng: random.Random) -> str:
    """Return a tree of spans with two children each."""
    number = 8000
    lines = ['<rst><header><relations><rel name="list" type="multinuc"/></relations></header><body>']
    parents: dict[int, int] = {}
    front, name = list(range(1, number + 1)), number
    while len(front) > 1:
        place = rng.randrange(max(1, len(front) - 1))
        name += 1
        parents[front[place]] = parents[front[place + 1]] = name
        front[place : place + 2] = [name]
    for node in range(1, name + 1):
        parent = f' parent="{parents[node]}" relname="list"' if node in parents else ""
        if node <= number:
            lines.append(f'<segment id="{node}"{parent}>{" ".join(words(4))}</segment>')
        else:
            lines.append(f'<group id="{node}" type="multinuc"{parent}/>')
    return _lines([*lines, "</body></rst>"])


def dis(rng: random.Random) -> str:
    """Return a binary tree in brackets."""
    number = 11_000
    front = [
        (k, k, f"( Nucleus (leaf {k}) (rel2par list) (text _!{' '.join(words(4))}_!) )") for k in range(1, number + 1)
    ]
    while len(front) > 1:
        pairs = []
        for k in range(0, len(front) - 1, 2):
            (first, _, left), (_, last, right) = front[k], front[k + 1]
            kind = "Root" if len(front) == 2 else rng.choice(["Nucleus", "Satellite"])
            relation = "" if kind == "Root" else " (rel2par list)"
            pairs.append((first, last, f"( {kind} (span {first} {last}){relation}\n{left}\n{right}\n)"))
        front = pairs + front[len(front) - len(front) % 2 :]
    return front[0][2] + "\n"


def rsd(rng: random.Random) -> str:
    """Return one discourse unit per line with its head."""
    lines = []
    open_heads = [0]  # a later unit depends on one of these, so that no dependencies cross
    for k in range(1, 22_001):
        if k > 2:
            del open_heads[rng.randrange(max(2, len(open_heads) - 3), len(open_heads) + 1) :]
        head = open_heads[-1]
        open_heads.append(k)
        lines.append(f"{k}\t{' '.join(words(4))}\t0\t_\t_\t_\t{head}\t{'ROOT' if head == 0 else 'list_m'}\t_\t_")
    return _lines(lines)


ONE_CODER: dict[str, tuple[str, Callable[[random.Random], str], tuple[str, ...]]] = {
    "bits": (".bits", bits, ()),
    "subtitle-breaks": (".fr", subtitle_breaks, ()),
    "choi": (".ref", choi, ()),
    "wiki-sections": (".txt", wiki_sections, ("--format", "wiki-sections")),
    "marked-text": (".txt", blank_lines, ("--format", "marked-text", "--reading", "marker=")),
    "segment-lines": (".edus", segment_lines, ()),
    "segsimflex": (".csv", segsimflex, ("--format", "segsimflex")),
    "conllu": (".conllu", conllu, ()),
    "bio": (".bio", bio, ()),
    "json": (".json", dialogues_json, ()),
    "rez": (".rez", rezonator, ("--reading", "unclassified=;")),
    "chat": (".cha", chat, ()),
    "srt": (".srt", srt, ()),
    "srt in seconds": (".srt", srt, ("--reading", "units=times")),
    "vtt": (".vtt", vtt, ()),
    "lab": (".lab", lab, ()),
    "audacity": (".txt", audacity, ("--format", "audacity")),
    "salami": (".txt", salami, ("--format", "salami")),
    "rttm": (".rttm", rttm, ()),
    "ctm": (".ctm", ctm, ()),
    "doccano": (".jsonl", doccano, ()),
    "webanno-tsv": (".tsv", webanno, ()),
    "xmi": (".xmi", xmi, ()),
    "brat": (".ann", brat, ()),
    "rs3": (".rs3", rs3, ()),
    "dis": (".dis", dis, ()),
    "rsd": (".rsd", rsd, ()),
}
"""Formats whose files have one coder -> suffix, function that returns the content, and options with which the commands read the file."""

SEVERAL_CODERS: dict[str, tuple[str, Callable[[random.Random], str], tuple[str, ...]]] = {
    "masses-tsv": (".tsv", masses_tsv, ()),
    "elan-text": (".txt", elan_text, ("--format", "elan-text", "--tier", "*")),
    "eaf": (".eaf", eaf, ("--tier", "*")),
    "jams": (".jams", jams, ()),
    "boris": (".csv", boris, ("--format", "boris", "--reading", "observation={item}_{coder}")),
    "label-studio": (".json", label_studio, ()),
    "prodigy": (".jsonl", prodigy, ()),
}
"""The same for formats whose files have several coders."""
COMPANIONS: dict[str, tuple[str, Callable[[], str]]] = {
    "brat": ("{stem}.txt", brat_text),
    "xmi": ("TypeSystem.xml", lambda: TYPES),
}
"""Format -> name and content of a file that is read together with each file."""
