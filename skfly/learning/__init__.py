"""Learning rules: word ids in, synapses and consensus out."""

from skfly.learning._batches import Batch, BatchStream, keep_probabilities
from skfly.learning._checkpoints import CheckpointError, Checkpoints
from skfly.learning._consensus import count_consensus
from skfly.learning._hebbian import HebbianRule, inverse_frequencies
from skfly.learning._learn import Network, Stages, learn
from skfly.learning._lloyd import LloydRule
from skfly.learning._report import Learned, StepReport
from skfly.learning._settings import LearningSettings, auto_min_count, tell_of_small_corpus
from skfly.learning._train import History, Monitor, Rule, train

__all__ = [
    "Batch",
    "BatchStream",
    "CheckpointError",
    "Checkpoints",
    "HebbianRule",
    "History",
    "Learned",
    "LearningSettings",
    "LloydRule",
    "Monitor",
    "Network",
    "Rule",
    "Stages",
    "StepReport",
    "auto_min_count",
    "count_consensus",
    "inverse_frequencies",
    "keep_probabilities",
    "learn",
    "tell_of_small_corpus",
    "train",
]
