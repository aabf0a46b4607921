"""The arrangement of cells in pictures: those that respond to the same words side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.ndimage import uniform_filter
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering

from skfly._threads import single_threaded_blas
from skfly.engine._checks import check_array

_N_REGIONS = 10
_AT_A_TIME = 350  # cells assigned to places at once: the time grows with the third power
_SHRINK = 0.85  # of the radius, from one round to the next
_MOST_OTHERS = 256  # that each cell is compared with: more change little, and take longer
_LENGTH = 2.0**11  # of profiles, so that their products are exact in float32


class CellLayout(NamedTuple):
    """The place of each cell on a grid, and its region.

    Attributes
    ----------
    n_rows, n_columns : int
        Size of the grid; its last places are empty if there are more places than cells.
    places : ndarray of int64, (n_cells,)
        ``row * n_columns + column`` of each cell.
    regions : ndarray of int64, (n_cells,)
        Number of each cell's region: cells side by side that respond to similar words.
    """

    n_rows: int
    n_columns: int
    places: NDArray[np.int64]
    regions: NDArray[np.int64]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The places and regions in few bytes, as files have them."""
        return {
            "places": self.places.astype(_small(self.n_rows * self.n_columns)),
            "regions": self.regions.astype(np.uint8),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_cells: int) -> Self:
        """Return the layout with these arrays; ``ValueError`` or ``TypeError`` if they do not fit.

        Examples
        --------
        >>> layout = arrange_cells(sparse.csr_array(np.eye(6)))
        >>> again = CellLayout.from_arrays(layout.arrays, 6)
        >>> all(np.array_equal(left, right) for left, right in zip(again, layout))
        True
        """
        if arrays.keys() != {"places", "regions"}:
            raise ValueError(f"the layout must be places and regions; got {sorted(arrays)!r:.60}")
        n_rows, n_columns = _grid(n_cells)
        places, regions = np.asarray(arrays["places"]), np.asarray(arrays["regions"])
        check_array("places of cells", places, _small(n_rows * n_columns), (n_cells,))
        check_array("regions of cells", regions, np.uint8, (n_cells,))
        if places.max(initial=0) >= n_rows * n_columns:
            raise ValueError(f"a cell has place {places.max()} of {n_rows * n_columns}")
        if len(np.unique(places)) < n_cells:
            raise ValueError("two cells have the same place")
        if regions.max(initial=0) >= _N_REGIONS:
            raise ValueError(f"a cell is in region {regions.max()} of {_N_REGIONS}")
        return cls(n_rows, n_columns, places.astype(np.int64), regions.astype(np.int64))


def _small(n_places: int) -> type[np.unsignedinteger[Any]]:
    return np.uint16 if n_places <= 2**16 else np.uint32


def arrange_cells(codes: sparse.csr_array) -> CellLayout:
    """Arrange cells by the codes of words, so that cells with the same words are neighbors.

    Places are assigned in rounds: the map of what cells respond to is blurred, less in each
    round, and each cell moves to where the blurred map is most like it (linear assignment
    sorting). The same codes give the same layout.

    Parameters
    ----------
    codes : sparse array, (n_words, n_cells)

    Returns
    -------
    layout : CellLayout

    Examples
    --------
    >>> codes = sparse.csr_array(np.kron(np.eye(2), np.ones((3, 4))))
    >>> layout = arrange_cells(codes)
    >>> (layout.n_rows, layout.n_columns)
    (2, 4)
    >>> len(set(layout.places.tolist()))
    8
    """
    with single_threaded_blas():
        profiles = _profiles(codes)
        n_rows, n_columns = _grid(len(profiles))
        places = _assign(profiles, n_rows, n_columns)
    regions = _regions(profiles, places, n_rows, n_columns)
    return CellLayout(n_rows, n_columns, places, regions)


def _profiles(codes: sparse.csr_array) -> NDArray[np.float32]:
    """Return how much each cell shares words with others, as rows of the same length."""
    ones = sparse.csc_array((codes != 0).astype(np.float32))
    n_cells = ones.shape[1]
    others = np.linspace(0, n_cells - 1, min(n_cells, _MOST_OTHERS)).astype(np.int64)
    together = (ones.T @ ones[:, others]).toarray().astype(np.float64)
    sizes = np.sqrt(np.maximum(np.diff(ones.indptr), 1.0))
    cosines = together / sizes[:, None] / sizes[others]
    cosines -= cosines.mean(axis=0)  # what all have in common says nothing
    return _whole(cosines)


def _whole(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return rows of the same length, in whole numbers.

    The last bits of a float product differ between processors, and so would layouts.
    """
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    whole: NDArray[np.float32] = np.rint(_LENGTH * rows / np.maximum(lengths, 1e-6))
    return whole.astype(np.float32)


def _grid(n_cells: int) -> tuple[int, int]:
    """Return the size of the grid: up to twice as wide as high, with few empty places.

    Model files rely on it.

    Examples
    --------
    >>> _grid(1000), _grid(7), _grid(1)
    ((25, 40), (3, 3), (1, 1))
    """
    narrowest = int(np.ceil(np.sqrt(n_cells)))
    columns = range(narrowest, max(int(np.sqrt(2 * n_cells)), narrowest) + 1)
    best = min(columns, key=lambda width: (-n_cells % width, abs(width - 1.6 * n_cells / width)))
    return -(-n_cells // best), best


def _assign(profiles: NDArray[np.float32], n_rows: int, n_columns: int) -> NDArray[np.int64]:
    n_cells = len(profiles)
    random = np.random.RandomState(0)
    places = random.permutation(n_cells)
    radius = max(n_rows, n_columns) / 2
    while radius >= 1:
        blurred = _blur(profiles, places, n_rows, n_columns, int(radius))
        for cells in np.array_split(random.permutation(n_cells), -(-n_cells // _AT_A_TIME)):
            likeness = profiles[cells] @ blurred[places[cells]].T
            rows, columns = linear_sum_assignment(likeness, maximize=True)
            places[cells[rows]] = places[cells[columns]]
        radius *= _SHRINK
    return places


def _blur(
    profiles: NDArray[np.float32],
    places: NDArray[np.int64],
    n_rows: int,
    n_columns: int,
    radius: int,
) -> NDArray[np.float32]:
    """Return the profile around each place; places without a cell count for nothing."""
    image = np.zeros((n_rows * n_columns, profiles.shape[1] + 1), np.float32)
    image[places, :-1] = profiles
    image[places, -1] = 1.0
    image = image.reshape(n_rows, n_columns, -1)
    size = (2 * radius + 1, 2 * radius + 1, 1)
    blurred = uniform_filter(uniform_filter(image, size, mode="constant"), size, mode="constant")
    flat = blurred.reshape(n_rows * n_columns, -1)
    return _whole(flat[:, :-1] / np.maximum(flat[:, -1:], 1e-6))


def _regions(
    profiles: NDArray[np.float32], places: NDArray[np.int64], n_rows: int, n_columns: int
) -> NDArray[np.int64]:
    """Group adjacent, similar cells into regions, numbered from the top left."""
    n_cells = len(places)
    n_regions = min(_N_REGIONS, n_cells)
    if n_regions < 2:
        return np.zeros(n_cells, np.int64)
    smooth = _blur(profiles, places, n_rows, n_columns, 1)[places]
    cell_at = np.full(n_rows * n_columns, -1)
    cell_at[places] = np.arange(n_cells)
    grid = cell_at.reshape(n_rows, n_columns)
    pairs = np.concatenate(
        [
            np.stack([grid[:, :-1].ravel(), grid[:, 1:].ravel()], axis=1),
            np.stack([grid[:-1].ravel(), grid[1:].ravel()], axis=1),
        ]
    )
    left, right = pairs[(pairs >= 0).all(axis=1)].T
    beside = sparse.coo_array((np.ones(len(left)), (left, right)), shape=(n_cells, n_cells))
    found = AgglomerativeClustering(n_regions, connectivity=sparse.csr_matrix(beside + beside.T))
    labels = found.fit_predict(smooth)
    order = list(dict.fromkeys(labels[np.argsort(places)].tolist()))
    numbers: NDArray[np.int64] = np.argsort(order)[labels]
    return numbers
