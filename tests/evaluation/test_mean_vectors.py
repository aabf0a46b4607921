import numpy as np
import pytest

from skfly.evaluation import MeanVectors


def test_mean_vectors():
    vectors = {"fly": np.array([1.0, 0.0]), "fruit": np.array([0.0, 3.0]), "bank": np.ones(2)}
    means = MeanVectors(vectors).fit_transform(["Fly FRUIT, dodo", "unknown", "bank"])
    np.testing.assert_array_equal(means, [[0.5, 1.5], [0, 0], [1, 1]])
    with pytest.raises(ValueError, match="no word of these documents has a vector"):
        MeanVectors(vectors).transform(["unknown"])
