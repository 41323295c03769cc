"""A seeded, bounded campaign that attacks readers, commands and files, and counts what went wrong.

::

    python -m tests.campaign --minutes 60            # every attack, for an hour
    python -m tests.campaign --inputs 50000          # that many inputs, however long it takes
    python -m tests.campaign --quick                 # the fixed inputs of the tests, about two minutes
    python -m tests.campaign --only "damaged files" --case 1234 --seed 0    # one input again

Each attack is one function in a module of this folder, registered with :func:`campaign.registry.attack`. ``ATTACKS`` in
``registry.py`` names the modules.
"""
