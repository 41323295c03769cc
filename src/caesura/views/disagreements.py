"""Tables of the places at which coders disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from caesura.agreement.disagreement_rows import Disagreement, DisagreementPlace, Disagreements
from caesura.measures.base import Measure
from caesura.measures.registry import short_signature
from caesura.model.value import OnDemand
from caesura.options import OptionSet, setting, switch, whole
from caesura.views.answer import Answer, Section
from caesura.views.answers.coders import disagreements_answer, extent_words, units_words
from caesura.views.table import Cell, Table, shorten, text_width

# Number of places that a terminal shows.
MAX_PLACES = 20
# Disagreements of two coders, places, and coders summed over places, in a table or in JSON unless all are asked for.
MAX_LISTED_ROWS, MAX_LISTED_CODERS = 10_000, 100_000
_SIDE = 24  # columns of text on each side of a boundary


@dataclass(frozen=True)
class DisagreementTables(OptionSet):
    limit: int = setting(MAX_PLACES, whole(1), "Number of places to print on a terminal.")
    all: bool = switch(
        f"Print all places. Otherwise tables and JSON have at most {MAX_LISTED_ROWS:,} places and as many disagreements of two "
        "coders, the costliest."
    )

    def shorten(self, result: Disagreements) -> Disagreements:
        """Return the disagreements that tables and JSON list; sums are over all disagreements."""
        if self.all:
            return result
        places = max(1, min(MAX_LISTED_ROWS, MAX_LISTED_CODERS // len(result.coders)))
        return result.costliest(MAX_LISTED_ROWS, places)


def left_out(result: Disagreements) -> str:
    """Say which part of all places and disagreements of two coders is listed."""
    counts = {"places": (len(result.places), result.place_count), "disagreements": (len(result.rows), result.row_count)}
    parts = [f"{shown:,} of {total:,} {name}" for name, (shown, total) in counts.items() if shown < total]
    return (
        f"the list has the costliest {' and '.join(parts)}; --all lists all, --item those of an item" if parts else ""
    )


def disagreements_view(result: Disagreements, tables: DisagreementTables | None = None) -> Answer:
    tables = tables or DisagreementTables()
    result = tables.shorten(result)
    limit = None if tables.all else tables.limit
    more = () if limit is None or result.place_count <= limit else ("--all lists every place",)
    if any(place.times and place.span is None and not place.units for place in result.places[:MAX_PLACES]):
        more = (*more, "-o FILE.TextGrid or .eaf writes them as a tier")
    return Answer(
        disagreements_answer(result),
        (
            Section("places", lambda: places_table(result, limit=limit)),
            Section("pairs", lambda: pairs_table(result)),
            Section("items", lambda: _items_table(result)),
            Section("coders", lambda: _coders_table(result)),
            Section("kinds", lambda: _kinds_table(result)),
        ),
        more,
    )


def places_table(result: Disagreements, *, limit: int | None = None) -> Table:
    """Return one row per place, the costliest first."""
    columns = ("item", "stream", "place", "text", "has", "has not", "kind", "cost")
    if isinstance(result.measure, Measure):
        compared = "pairs of coders" if result.against is None else f"coders against {result.against}"
        cost = f"cost: {result.measure.label}, summed over {compared}"
    else:
        pairs = "" if result.against is None else f", pairs with {result.against} only"
        cost = f"cost: disorder in the best alignment of {result.measure.title}, as mean over pairs of coders{pairs}"
    notes = (cost, *filter(None, [left_out(result)]))
    shown = OnDemand(lambda number: _place_cells(result.places[number]), range(len(result.places)))
    return Table(columns, cast("tuple[tuple[Cell, ...], ...]", shown), digits=2, limit=limit, notes=notes)


def _place_cells(place: DisagreementPlace) -> tuple[Cell, ...]:
    return (
        place.item,
        place.stream,
        _where(place),
        _text(place) or None,
        _has(place),
        ", ".join(place.has_not) or None,
        ", ".join(place.kinds),
        place.cost,
    )


def _where(place: DisagreementPlace) -> str:
    """Return the times of a place, or its positions, or the units of a span."""
    if place.units:
        return extent_words(place.positions[0], place.positions[-1], seconds=bool(place.times))
    if place.times:
        times = [f"{time:.2f}" for time in (place.times[0], place.times[-1])]
        return f"{'-'.join(dict.fromkeys(times))} s"
    ends = place.span or (place.positions[0], place.positions[-1])
    return "-".join(dict.fromkeys(map(str, ends)))


def _text(place: DisagreementPlace) -> str:
    if not (place.before or place.between or place.after):
        return ""
    if place.units:
        return f"[{_first(place.between, 2 * _SIDE)}]" if place.between else ""
    before, after = _first(place.before[::-1], _SIDE)[::-1], _first(place.after, _SIDE)
    if place.span is not None:
        return f"[{_first(place.between, 2 * _SIDE)}]"
    parts = [before, *([_first(place.between, _SIDE)] if place.between else []), after]
    return " | ".join(parts).strip()


def _first(text: str, width: int) -> str:
    """Return the beginning of a text, broken between words if possible."""
    if text_width(text) <= width:
        return text
    cut = shorten(text, width - 1)
    return f"{cut[:-1].rpartition(' ')[0].rstrip() or cut[:-1]} …"


def _has(place: DisagreementPlace) -> str | None:
    """Return the coders who have a boundary; by position if there are several, and with its type if types differ."""
    if place.units:
        return "; ".join(f"{words}: {', '.join(coders)}" for words, coders in units_words(place).items())
    several = len(place.positions) > 1 and place.span is None
    typed = len({kind for marks in place.marks.values() for _, kind in marks}) > 1
    groups: dict[tuple[float, str, str], list[str]] = {}
    for coder, marks in place.marks.items():
        times = place.mark_times.get(coder, ())
        for i, (position, kind) in enumerate(marks):
            at, text = (times[i], f"{times[i]:.2f} s: ") if times else (position, f"{position}: ")
            name = f" ({kind})" if typed and kind else ""
            groups.setdefault((at, text, name) if several else (0, "", name), []).append(coder)
    return "; ".join(f"{key[1]}{', '.join(groups[key])}{key[2]}" for key in sorted(groups)) or None


def pairs_table(result: Disagreements) -> Table:
    numbered = [f"{name} {i}" for name in ("position", "time", "type") for i in (1, 2)]
    places = (*numbered, "first unit", "last unit", "end 1", "end 2")
    texts = ("before", "between", "after")
    columns = ("item", "stream", "coder 1", "coder 2", "kind", *places, "cost", *texts)
    table = Table.from_records(
        map(_pair_record, result.rows),
        columns=columns,
        digits=3,
        notes=(short_signature(result), *filter(None, [left_out(result)])),
    )
    return table.without_empty_columns(("stream", *places[2:], *texts))


def _pair_record(row: Disagreement) -> dict[str, Any]:
    record: dict[str, Any] = {"item": row.item, "stream": row.stream, "kind": row.kind, "cost": row.cost}
    for name, values in (("coder", row.coders), ("position", row.positions), ("time", row.times), ("type", row.types)):
        record |= {f"{name} {i}": value for i, value in enumerate(values, 1)}
    record |= {name: getattr(row, name) or None for name in ("before", "between", "after")}
    record |= {f"end {i}": unit.end for i, unit in enumerate(row.units, 1) if unit is not None}
    return record | ({} if row.span is None else {"first unit": row.span[0], "last unit": row.span[1]})


def _items_table(result: Disagreements) -> Table:
    places, rows = result.totals.places_by_item, result.totals.rows_by_item
    records = [
        {"item": item, "cost": cost, "share": _share(result, cost), "places": places[item], "disagreements": rows[item]}
        for item, cost in result.by_item.items()
    ]
    return Table.from_records(records, digits=2)


def _kinds_table(result: Disagreements) -> Table:
    rows = result.totals.rows_by_kind
    records = [
        {"kind": kind, "cost": cost, "share": _share(result, cost), "disagreements": rows[kind]}
        for kind, cost in result.by_kind.items()
    ]
    return Table.from_records(records, digits=2)


def _share(result: Disagreements, cost: float) -> float:
    return cost / result.cost if result.cost else 0.0


def _coders_table(result: Disagreements) -> Table:
    notes = () if result.against else ("a disagreement has two coders, so that the shares add up to 2",)
    records = [{"coder": coder, "cost": cost, "share": _share(result, cost)} for coder, cost in result.by_coder.items()]
    return Table.from_records(records, digits=2, notes=notes)
