"""Learning rules, one file each. To add one, write its file and name it in :data:`RULES`."""

from skfly.rules._adapting import adapt_words, spread_weights
from skfly.rules._base import CorpusSize, Growing, Learned, Rule, Stage, StepReport, Task
from skfly.rules._documents import (
    RECOUNTS,
    DocumentCounts,
    LearnedDocuments,
    learn_documents,
    learn_more_documents,
)
from skfly.rules.comply import ComplyRule
from skfly.rules.hebbian import HebbianRule
from skfly.rules.lloyd import LloydRule
from skfly.rules.whiten import WhitenRule

__all__ = [
    "RECOUNTS",
    "RULES",
    "CorpusSize",
    "DocumentCounts",
    "Growing",
    "Learned",
    "LearnedDocuments",
    "Rule",
    "Stage",
    "StepReport",
    "Task",
    "adapt_words",
    "learn_documents",
    "learn_more_documents",
    "spread_weights",
]

RULES: dict[str, type[Rule]] = {
    "comply": ComplyRule,
    "hebbian": HebbianRule,
    "lloyd": LloydRule,
    "whiten": WhitenRule,
}
"""The rules by the names that ``FlyHashVectorizer(learning=...)`` takes."""
