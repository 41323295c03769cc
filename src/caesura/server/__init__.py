"""The local server of ``caesura open``: the page of a report, live."""
