"""Classes that other packages require, one file each.

Where a package takes any object with the right methods, pass the estimator itself: LangChain calls
its ``embed_documents`` and ``embed_query``, MTEB its ``encode``.
"""
