"""Damaged files for every reader: ``python tests/fuzz/run.py --help``.

``_mutate.py`` damages files, ``_readers.py`` has a seed and a reader for each kind of file,
``_worker.py`` reads damaged files in a process with limits, and ``_campaign.py`` runs such
processes and adds up what became of the files.
"""
