"""Names of columns that say what a column contains, such as ``sentence`` for the text and ``annotator`` for the coder."""

from __future__ import annotations

import re

# Role -> names of columns that have it.
ALIASES: dict[str, tuple[str, ...]] = {
    "item": (
        *("item", "doc", "document", "doc_id", "docid", "document_id", "file", "filename", "text_id", "recording"),
        *("video", "movie", "series", "item_id", "file_id", "dialogue_id", "dial_id", "dialog_id", "conversation_id"),
        *("story", "article", "essay", "conversation", "dialogue", "dialog", "transcript", "interview", "interview_id"),
        *("document_name", "clip", "film", "dokument", "dokumentname", "datei", "aufnahme"),
    ),
    "coder": (
        *("coder", "annotator", "rater", "observer", "worker", "coder_id", "annotator_id", "rater_id", "worker_id"),
        *("coder_name", "annotator_name", "workerid", "annotatorid", "created_by", "kodierer", "kodiererin"),
        *("annotateur", "codeur"),
    ),
    "stream": ("stream", "speaker"),
    "unit": (
        *("unit", "position", "sentence_id", "sent_id", "line", "index", "paragraph", "utterance_id", "unit_id"),
        *("token_id", "sentence_number", "turn", "turn_id", "utt_id", "sentence_nr", "sent_nr", "satz_nr"),
        "satznummer",
    ),
    "text": (
        *("text", "sentence", "token", "word", "utterance", "content", "sent", "utt", "satz", "wort", "phrase"),
        *("texte", "mot", "tokens", "words"),
    ),
    "start": ("start", "onset", "begin", "xmin", "start_time", "tmin", "begin_time", "beginn", "anfang"),
    "end": ("end", "offset", "xmax", "end_time", "tmax", "stop", "ende"),
    "time": ("time", "timestamp", "seconds", "zeit"),
    "mark": ("boundary", "mark", "break", "is_boundary", "grenze"),
    "score": ("score", "prob", "probability"),
    "label": ("label", "category", "segment", "topic", "code", "theme", "kategorie", "thema"),
    "level": ("level",),
    "length": ("length", "duration", "n_obs"),
    "types": ("types",),
}
# Names of two columns that are the start and the end of spans if a table has both.
SPAN_PAIRS: tuple[tuple[str, str], ...] = (
    *(("start_offset", "end_offset"), ("begin_offset", "end_offset"), ("offset_start", "offset_end")),
    *(("start_char", "end_char"), ("char_start", "char_end"), ("begin_char", "end_char")),
    *(("start_token", "end_token"), ("token_start", "token_end"), ("start_pos", "end_pos")),
    *(("start_index", "end_index"), ("start_idx", "end_idx"), ("span_start", "span_end"), ("span_begin", "span_end")),
    *(("segment_start", "segment_end"), ("from", "to"), ("von", "bis")),
)
# Names of columns with the duration of each segment, if a table has a start and no end.
DURATIONS = ("duration", "dur", "dauer")
# Names of columns that are the label of spans if no other column is; in other tables they may be something else.
SPAN_LABELS = (
    *("tag", "entity", "entity_type", "entity_label", "ner", "ner_tag", "annotation", "trial_type", "type", "class"),
    *("behavior", "behaviour", "layer"),
)
# Names of columns that are never coders unless the user names them.
COMMENTS = (
    *("comment", "comments", "note", "notes", "remark", "remarks", "memo", "bemerkung", "bemerkungen", "kommentar"),
    *("anmerkung", "anmerkungen", "commentaire", "remarque"),
)
# Names of start and end columns that are always in seconds.
SECONDS = ("start_time", "end_time", "begin_time", "onset", "xmin", "xmax", "tmin", "tmax")
# Names of columns that are the coder if no other column is, and otherwise the stream.
PERSON = ("participant", "subject", "participant_id", "subject_id", "versuchsperson", "vp", "teilnehmer")


def normalize(name: str) -> str:
    """Return the name of a column in lower case, with underscores for spaces, dots and hyphens."""
    return re.sub(r"[\s.\-]+", "_", name.strip().lower())


def split_unit(name: str) -> tuple[str, str]:
    normalized = normalize(name)
    match = re.fullmatch(r"(.+?)_?(?:[(\[](s|ms)[)\]]|_(s|sec|seconds|ms|msec|milliseconds))", normalized)
    if match is None:
        return normalized, ""
    return match[1], "ms" if (match[2] or match[3]).startswith("m") else "s"


# Normalized name of a column -> its role.
ROLE_OF_NAME = {alias: role for role, aliases in ALIASES.items() for alias in aliases}
# Names that a column of a coder cannot have.
RESERVED = frozenset({*ROLE_OF_NAME, *PERSON, *COMMENTS, "id", *(name for pair in SPAN_PAIRS for name in pair)})
