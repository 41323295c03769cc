"""What version 0.2 read and printed, so that the code can move without changing a number.

The recorded files are our own output (commit 310cc087), not the truth: golden values and oracles are in ``tests/golden`` and ``tests/oracle``.
An entry may change if version 0.3 is meant to differ, in a commit that says why::

    cd tests; python -m characterisation.record commands --update agree    # cases whose command contains "agree"
    cd tests; python -m characterisation.record reads --update .eaf        # reads whose file name contains ".eaf"

``commands.json.xz`` has folders of small files and the cases that ran in them; ``reads.json.xz`` has every ``caesura.read`` of
``tests/formats``. Both are deleted with the release of 0.3.
"""
