"""All experiments on one model, as one page."""

from skfly.evaluation.report._report import Report, write_report

__all__ = ["Report", "write_report"]
