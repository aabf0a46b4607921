"""Tools for those who write estimators on top of skfly."""
