"""Every method of a engine, with each argument spoiled in every way: refused, or no harm done."""

import copy

import numpy as np
import pytest
from scipy import sparse

from skfly.engine import Batch, Drive, get_engine
from skfly.rules.lloyd import InformationTerms, information_terms

N_WORDS, N_CELLS, WINDOW = 6, 10, 5
CANARY = 64  # numbers on both sides of what a kernel writes, which must stay as they are


def _model():
    random = np.random.default_rng(0)
    shape = (2 * N_WORDS, N_CELLS)
    counts = random.integers(0, 9, shape).astype(np.float32)
    ids = random.integers(-1, N_WORDS, 40).astype(np.int32)
    cells = counts.reshape(2, N_WORDS, N_CELLS).sum(axis=1, dtype=np.float64)
    terms = information_terms(counts.sum(axis=1, dtype=np.float64), cells, 2.0)
    return {
        "synapses": random.normal(size=shape).astype(np.float32),
        "increments": random.normal(size=shape).astype(np.float32),
        "drives": random.integers(-99, 99, shape).astype(np.int16),
        "counts": counts,
        "sums": np.zeros(shape, np.float32),
        "weights": random.integers(-99, 99, shape).astype(np.int16),
        "rates": np.ones(N_WORDS, np.float32),
        **terms._asdict(),
        "overlap": random.normal(size=N_CELLS),
        "ids": ids,
        "offsets": np.array([0, 7, 7, 23, 40]),
        "winners": random.integers(-1, N_CELLS, 40).astype(np.int32),
        "rows": random.integers(0, 2 * N_WORDS, 20).astype(np.int32),
        "indptr": np.array([0, 4, 4, 20]),
        "amounts": random.integers(0, 99, 20).astype(np.float64),
        "cleared": np.array([0, 9]),
        "drive": Drive(np.float32(10), np.float32(0)),
        "window": WINDOW,
        "truncate": True,
        "n_top": 3,
        "learning_rate": 0.1,
        "n_words": N_WORDS,
        "reach": 3,
        "ordered": False,
        "skipped": np.arange(N_WORDS) == 2,
        "pair_counts": random.integers(1, 9, 8).astype(np.int32),
        "pair_words": np.array([0, 3, 1, 2, 5, 4, 0, 5], np.int32),
        "pair_ends": np.array([0, 2, 2, 5, 6, 6, 8], np.int32),
        "matrix": sparse.csr_array(random.integers(0, 2, (5, N_WORDS)).astype(np.float32)),
        "dense": random.normal(size=(N_WORDS, N_CELLS)).astype(np.float32),
        "left": random.integers(-9, 9, (5, N_WORDS)).astype(np.float64),
        "right": random.integers(-9, 9, (N_WORDS, N_CELLS)).astype(np.float64),
    }


# the arguments of each method in their order, and those that it changes
METHODS = {
    "set_drives": ("drives synapses drive", "drives"),
    "find_winners": ("drives ids offsets window truncate", ""),
    "add_windows": ("sums rates weights ids offsets winners window", "sums"),
    "top_cells": ("synapses drive rows indptr n_top", ""),
    "squared_norms": ("synapses", ""),
    "clear_cells": ("counts cleared", "counts"),
    "sum_rows": ("weights rows amounts indptr", ""),
    "add_counts": ("pair_counts pair_words pair_ends", ""),
    "multiply_sparse": ("matrix dense", ""),
    "count_pairs": ("ids offsets skipped reach ordered", ""),
    "count_windows": ("drives ids offsets window truncate", ""),
    "count_given": ("sums rates weights ids offsets winners window", "sums"),
    "count_top": ("counts drives ids offsets window truncate n_top", "counts"),
}
# those of the rules, which numpy computes with the rules' own functions
FUSED = {
    "information": ("synapses counts prior own among", "synapses"),
    "information_drives": ("drives counts prior own among drive rows", "drives"),
    "hebbian_step": ("synapses increments overlap learning_rate", "synapses increments"),
}
ALL = METHODS | FUSED
CASES = [("numpy", method) for method in METHODS] + [("numba", method) for method in ALL]
NO_KERNELS = {"zeros", "new_drives", "put", "put_drives", "get", "scale"}  # allocate or copy


def _information(engine, synapses, counts, prior, own, among):
    return engine.information(synapses, counts, InformationTerms(prior, own, among))


def _information_drives(engine, drives, counts, prior, own, among, drive, rows):
    terms = InformationTerms(prior, own, among)
    return engine.information_drives(drives, counts, terms, drive, rows)


def _count_windows(engine, drives, ids, offsets, window, truncate):
    counts = engine.count_windows(drives, Batch(ids, offsets), window, truncate)
    return counts.cell_sizes, counts.matrix(N_WORDS).toarray()


def _count_given(engine, sums, rates, weights, ids, offsets, winners, window):
    counts = engine.count_given(winners, Batch(ids, offsets), window, N_CELLS)
    return counts.add_to(sums, rates, weights)


def _count_top(engine, counts, drives, ids, offsets, window, truncate, n_top):
    return engine.count_top(counts, drives, Batch(ids, offsets), window, truncate, n_top)


def _count_pairs(engine, ids, offsets, skipped, reach, ordered):
    return engine.count_pairs(Batch(ids, offsets), skipped, reach, ordered).toarray()


def _add_counts(engine, counts, words, ends):
    try:
        counts = sparse.csr_array((counts, words, ends), shape=(N_WORDS, N_WORDS))
    except OverflowError as error:  # scipy's
        raise ValueError from error
    return engine.add_counts(counts, counts).toarray()


# where arguments are not arrays, but tuples of them, or where a result is no array
CALLS = {
    "add_counts": _add_counts,
    "count_pairs": _count_pairs,
    "information": _information,
    "information_drives": _information_drives,
    "count_windows": _count_windows,
    "count_given": _count_given,
    "count_top": _count_top,
}


def _use(engine, method, arguments):
    if method in CALLS:
        return CALLS[method](engine, *arguments.values())
    return getattr(engine, method)(*arguments.values())


@pytest.mark.parametrize(("name", "methods"), [("numpy", METHODS), ("numba", ALL)])
def test_every_method_is_here(name, methods):
    kind = type(get_engine(name))
    public = {n for n in dir(kind) if not n.startswith("_") and callable(getattr(kind, n))}
    assert public - NO_KERNELS == methods.keys()


def _arguments(method):
    model = _model()
    if method == "count_top":
        model["counts"] = model["counts"][:N_WORDS].copy()
    names, changed = (some.split() for some in ALL[method])
    return {name: model[name] for name in names}, changed


def _guarded(array):
    """Return a copy of an array in the midst of a larger one, and that one."""
    room = np.full(array.size + 2 * CANARY, 77, dtype=array.dtype)
    inside = room[CANARY:-CANARY].reshape(array.shape)
    inside[...] = array
    return inside, room


def _call(engine, method, arguments, changed):
    """Return what a method returns and leaves in what it changes; its surroundings must stay."""
    given = {name: copy.copy(value) for name, value in arguments.items()}
    rooms = []
    for name in changed:
        value = arguments[name]
        if isinstance(value, np.ndarray) and value.flags.c_contiguous and value.flags.writeable:
            given[name], room = _guarded(value)
            rooms.append(room)
        else:
            given[name] = value
    found = _use(engine, method, given)
    for room in rooms:
        assert (room[:CANARY] == 77).all()
        assert (room[-CANARY:] == 77).all()
    found = found if isinstance(found, tuple) else (found,)
    return [np.array(value) for value in (*found, *(given[name] for name in changed))]


def _read_only(array):
    array = array.copy()
    array.setflags(write=False)
    return array


def _strided(array):
    return np.repeat(array, 2, axis=-1)[..., ::2]


def _with(array, place, value):
    array = array.astype(np.int64)
    array[place] = value
    return array


ARRAYS = {
    "float": lambda a: a.astype(np.float64) + 0.0,
    "half": lambda a: a.astype(np.float16),
    "int8": lambda a: a.astype(np.int8),
    "int64": lambda a: a.astype(np.int64),
    "complex": lambda a: a.astype(np.complex64),
    "object": lambda a: a.astype(object),
    "text": lambda a: a.astype(str),
    "swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "list": lambda a: a.tolist(),
    "none": lambda a: None,
    "read-only": _read_only,
    "strided": _strided,
    "reversed": lambda a: a[::-1],
    "fortran": np.asfortranarray,
    "shorter": lambda a: a[:-1].copy(),
    "longer": lambda a: np.concatenate([a, a[-1:]]),
    "narrower": lambda a: a[..., :-1].copy(),
    "flat": lambda a: a.ravel(),
    "deeper": lambda a: a[None],
    "empty": lambda a: a[:0],
}
NUMBERS = {
    f"{place}={value}": lambda a, p=place, v=value: _with(a, p, v)
    for place in (0, 5, -1)
    for value in (-1, -2, 2 * N_WORDS, 10**6, 2**31 - 1, 2**31, 2**32, -(2**31), 2**62, -(2**63))
}
SCALARS = {
    "window": [0, -1, -5, 2.5, "x", None, 2**40, np.nan],
    "reach": [0, -1, 2.5, "x", None, 2**40],
    "n_top": [0, -1, N_CELLS + 1, 2**40, 1.5, "x", None],
}


def _spoiled(name, value):
    if name in SCALARS:
        return {str(spoiled): spoiled for spoiled in SCALARS[name]}
    if not isinstance(value, np.ndarray):
        return {}
    ways = ARRAYS | (NUMBERS if value.ndim == 1 and value.dtype.kind == "i" else {})
    return {way: spoil(value) for way, spoil in ways.items() if not _too_short(way, value)}


def _too_short(way, value):
    return way.startswith("5=") and len(value) < 6


@pytest.mark.parametrize(("name", "method"), CASES)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_spoiled_arguments(name, method):
    engine = get_engine(name, n_jobs=1)
    arguments, changed = _arguments(method)
    sound = _call(engine, method, arguments, changed)
    n_refused = 0
    for argument, value in arguments.items():
        for way, spoiled in _spoiled(argument, value).items():
            given = arguments | {argument: spoiled}
            try:
                found = _call(engine, method, given, changed)
            except (TypeError, ValueError):
                n_refused += 1
                continue
            if not _is_same(spoiled, value):
                continue  # other numbers, all of them within bounds: surroundings were looked at
            for one, other in zip(found, sound, strict=True):
                np.testing.assert_array_equal(one, other, err_msg=f"{argument} {way}")
    assert n_refused > len(arguments)


def _is_same(spoiled, value):
    return isinstance(spoiled, np.ndarray) and np.array_equal(spoiled, value)


@pytest.mark.parametrize(
    ("name", "method"),
    [case for case in CASES if case[1] != "add_counts"],  # arrays within a matrix have no names
)
def test_what_is_refused_is_named(name, method):
    engine = get_engine(name, n_jobs=1)
    arguments, changed = _arguments(method)
    for argument, value in arguments.items():
        if isinstance(value, np.ndarray):
            named = "cells" if argument == "cleared" else argument
            given = arguments | {argument: value.astype(np.complex64)}
            with pytest.raises(TypeError, match=f"^{named} must be"):
                _use(engine, method, given)
    for argument in changed:
        given = arguments | {argument: _read_only(arguments[argument])}
        with pytest.raises(ValueError, match=f"^{argument} is read-only"):
            _use(engine, method, given)


@pytest.mark.parametrize("name", ["numpy", "numba"])
@pytest.mark.parametrize(
    ("method", "argument", "way", "message"),
    [
        ("find_winners", "ids", "0=1000000", "ids must be from -1 to 5; got 1000000"),
        ("find_winners", "ids", "0=-2", "ids must be from -1 to 5; got -2"),
        ("find_winners", "offsets", "shorter", "offsets must begin with 0 and end with 40"),
        ("count_windows", "ids", "0=-2", "ids must be from -1 to 5; got -2"),
        ("count_given", "winners", "shorter", "expected 40 winners"),
        ("add_windows", "winners", "5=4294967296", "winners must be from -1 to 9"),
        ("add_windows", "winners", "shorter", "expected 40 winners"),
        ("add_windows", "sums", "read-only", "sums is read-only"),
        ("add_windows", "sums", "fortran", "sums must be in C order"),
        ("top_cells", "rows", "0=-1", "rows must be from 0 to 11; got -1"),
        ("count_top", "counts", "float", "counts must be an array of float32"),
    ],
)
def test_messages(name, method, argument, way, message):
    arguments, _ = _arguments(method)
    arguments[argument] = (ARRAYS | NUMBERS)[way](arguments[argument])

    with pytest.raises((TypeError, ValueError), match=message):
        _use(get_engine(name, n_jobs=1), method, arguments)


@pytest.mark.parametrize(
    ("method", "argument", "way", "message"),
    [
        ("information_drives", "rows", "0=-2", "rows must be from 0 to 11; got -2"),
        ("information_drives", "rows", "5=12", "rows must be from 0 to 11; got 12"),
        ("information_drives", "prior", "shorter", r"prior must have shape \(12\)"),
        ("information", "own", "float", "own must be an array of float32"),
        ("information", "among", "narrower", r"among must have shape \(2, 10\)"),
        ("hebbian_step", "overlap", "half", "overlap must be an array of float64"),
    ],
)
def test_messages_of_fused_rules(method, argument, way, message):
    test_messages("numba", method, argument, way, message)


def test_more_cells_than_their_numbers_have_room_for():
    drives = np.zeros((2, 65_536), np.int16)
    with pytest.raises(ValueError, match="65,535 cells"):
        get_engine("numba").find_winners(drives, np.zeros(1, np.int32), np.array([0, 1]), 3, True)


@pytest.mark.parametrize("largest", [np.inf, np.nan, 3e38])
def test_weights_that_are_no_numbers_do_not_hang(largest):
    synapses = np.ones((4, N_CELLS), np.float32)
    synapses[0, ::2], synapses[1, 1::3] = largest, -largest
    bags = np.arange(4, dtype=np.int32), np.array([0, 1, 2, 4])
    with np.errstate(all="ignore"):
        cells, _ = get_engine("numba").top_cells(
            synapses, Drive(np.float32(1e10), np.float32(-np.inf)), *bags, 3
        )

    assert ((cells >= 0) & (cells < N_CELLS)).all()
