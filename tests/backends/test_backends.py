"""The choice of a backend."""

import numba
import pytest

from skfly.backends import BACKENDS, get_backend


def test_auto_is_numba():
    assert get_backend("auto").name == "numba"


@pytest.mark.parametrize("name", [name for name in BACKENDS if name != "auto"])
def test_a_backend_goes_by_its_name(name):
    assert get_backend(name).name == name


def test_an_unknown_backend_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"numba.*numpy.*got 'fortran'"):
        get_backend("fortran")


def test_without_n_jobs_numbas_own_setting_is_used_and_kept():
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        assert get_backend("numba").n_threads == 1
        assert get_backend("numba", n_jobs=2).n_threads == 2
        assert numba.get_num_threads() == 1
    finally:
        numba.set_num_threads(before)


def test_all_cores():
    assert get_backend("numba", n_jobs=-1).n_threads >= 1
