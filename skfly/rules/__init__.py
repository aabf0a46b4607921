"""Learning rules, one file each. To add one, write its file and name it in :data:`RULES`."""

from skfly.rules._base import CorpusSize, Learned, Rule, Stage, StepReport, Task
from skfly.rules.hebbian import HebbianRule
from skfly.rules.lloyd import LloydRule

__all__ = ["RULES", "CorpusSize", "Learned", "Rule", "Stage", "StepReport", "Task"]

RULES: dict[str, type[Rule]] = {"hebbian": HebbianRule, "lloyd": LloydRule}
"""The rules by the names that ``FlyHashVectorizer(learning=...)`` takes."""
