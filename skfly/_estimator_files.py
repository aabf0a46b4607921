"""Save, load and share the estimator."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from skfly._model_file import DAMAGE, ModelFileError, under
from skfly._params import CONSTRAINTS, FILE_PARAMS, MODEL_PARAMS
from skfly._pretrained import MODEL_NAME, find_model, push_directory, write_card
from skfly.fit import Fitted, History
from skfly.model import FlyModel, ModelFile, plain_value, read_model, write_model
from skfly.rules import RULES, DocumentCounts, Learned, LearnedDocuments

_DOCUMENTS = "documents."  # names of what document cells continue from, in files


class FilesMixin:
    """Methods of :class:`~skfly.FlyHashVectorizer` for files."""

    model_: Any
    min_count_: int
    n_kenyon_cells: int
    energy_: Any
    cells_used_: Any
    get_params: Any
    set_params: Any
    _validate_params: Any
    _model_params: Any
    _model: FlyModel
    _current: tuple[dict[str, Any], FlyModel]
    __sklearn_is_fitted__: Any
    _read_training: Callable[[], Fitted]
    _phrases: list[str] | None

    def save(self, path: str | os.PathLike[str], *, compact: bool = False) -> None:
        """Write the fitted estimator to one file, without pickle.

        The file is written under a temporary name and then renamed, so an older one stays intact
        if anything goes wrong. Then the checkpoints that ``fit`` left in ``checkpoint_dir`` are
        removed.

        Parameters
        ----------
        path : path-like
        compact : bool, default=False
            Write a much smaller file, which gives nearly the same codes but cannot learn further:
            :meth:`partial_fit` is refused after ``load``.

        See Also
        --------
        FlyHashVectorizer.load : Read it back.
        """
        check_is_fitted(self)
        self._validate_params()
        params = self.get_params()
        for name in ("checkpoint_dir", "pretrained"):  # of one run, not of the model
            del params[name]
        if params["vocabulary"] is not None:
            params["vocabulary"] = True  # the words are in the file already
        content: dict[str, Any] = {
            "params": {name: plain_value(name, value) for name, value in params.items()}
        }
        if compact:
            write_model(path, self.model_.compact(), content)
            return
        training = self._training
        if training is not None:
            content |= {
                "min_count": int(self.min_count_),
                "n_epochs": training.n_epochs,
                "energy": self.energy_,
                "cells_used": self.cells_used_,
                "settings": {
                    name: plain_value(name, value)
                    for name, value in asdict(training.settings).items()
                },
            }
        state: dict[str, NDArray[Any]] = {}
        if training is not None:
            state |= training.learned.state
            if training.documents is not None:
                counts = training.documents.counts.arrays
                state |= {_DOCUMENTS + name: array for name, array in counts.items()}
        write_model(path, self.model_, content, state)
        if training is not None and training.checkpoints is not None:
            training.checkpoints.forget()

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, mmap: bool = False) -> Self:
        """Read an estimator that :meth:`save` wrote.

        A file cannot set parameters that make the estimator read, write or run something else:
        ``input`` and ``checkpoint_dir`` are the defaults after ``load``.

        Parameters
        ----------
        path : path-like
        mmap : bool, default=False
            Map the file into memory instead of reading it: loading is immediate, and processes
            that use the same file share its memory. Replace a mapped file by renaming, as
            :meth:`save` does; truncating it in place crashes all processes that use it.

        Returns
        -------
        fly : FlyHashVectorizer

        Raises
        ------
        ModelFileError
            If the file is not a model, is damaged, or comes from a newer skfly.
        """
        file = read_model(path, mmap=mmap)
        fly = cls()
        try:
            fly._restore(file)
        except DAMAGE as error:
            raise ModelFileError(f"{path} is damaged: {error}") from error
        fly._read_training = partial(_training_of, path, file)
        if not mmap:
            _ = fly._training
        return fly

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike[str], *, revision: str | None = None) -> Self:
        """Open a model from the package, a file, or the Hugging Face Hub.

        Parameters
        ----------
        name : str or path-like
            ``"en"``: 50,000 words of English, 1,000 cells, from 45 million words of Wikipedia; or
            the path of a file that :meth:`save` wrote, or of a directory with a
            ``model.skfly``, also as ``file:path``; or ``"user/name"``, a repository of the Hub,
            for which you need ``pip install "skfly[hub]"``. An existing file takes precedence.
        revision : str or None, default=None
            Branch, tag or commit of the repository.

        Returns
        -------
        fly : FlyHashVectorizer
            It can be used at once. :meth:`fit` learns a new model; :meth:`partial_fit` is refused
            for the models that come with the package, which have no learning state.

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> fly = FlyHashVectorizer.from_pretrained("en")
        >>> "loans" in [word for word, _ in fly.wv.most_similar("loan")]
        True
        """
        return cls.load(find_model(name, hub=True, revision=revision), mmap=True)

    def push_to_hub(self, repo: str, *, compact: bool = True, private: bool | None = None) -> str:
        """Upload the model to the Hugging Face Hub, with a model card.

        It needs ``pip install "skfly[hub]"`` and that you are logged in there (``hf auth login``).

        Parameters
        ----------
        repo : str
            ``"user/name"``. Created if it does not exist.
        compact : bool, default=True
            As in :meth:`save`.
        private : bool or None, default=None
            Visibility of a new repository; ``None``: according to your settings.

        Returns
        -------
        url : str
            Of the commit.
        """
        check_is_fitted(self)
        with TemporaryDirectory() as directory:
            self.save(Path(directory) / MODEL_NAME, compact=compact)
            write_card(Path(directory), repo, self.model_)
            return push_directory(directory, repo, private)

    def _restore(self, file: ModelFile) -> None:
        """Restore the content of a file; invalid content raises one of ``DAMAGE``."""
        model, content = file.model, file.estimator or {}
        settings = model.settings
        params = dict(content.get("params", {}))
        if unknown := params.keys() - CONSTRAINTS.keys():
            raise ValueError(f"it has a parameter {min(unknown)!r:.30}")
        params = {name: value for name, value in params.items() if name in FILE_PARAMS}
        if params.get("vocabulary") is not None:
            params["vocabulary"] = list(model.vocabulary.words)
        text = dict(settings.text)
        self._phrases = text.pop("phrases", None)
        params |= {name: getattr(settings, name) for name in MODEL_PARAMS} | text
        self.set_params(**params)
        self._validate_params()
        self._model, self._current = model, (self._model_params(self._phrases), model)
        self.n_kenyon_cells = model.n_cells
        if "settings" in content:
            self.min_count_ = _count(content["min_count"])
        else:
            self._training = None

    @cached_property
    def _training(self) -> Fitted | None:
        """The state of learning; that of a mapped file is read here, and seldom needed."""
        return self._read_training()

    def __getstate__(self) -> dict[str, Any]:
        if self.__sklearn_is_fitted__():
            _ = self._training
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_read_training"}


def _training_of(path: str | os.PathLike[str], file: ModelFile) -> Fitted:
    """Return the state of learning that a file holds."""
    model, content = file.model, file.estimator or {}
    model._check()
    try:
        arrays, rule = file.state(), RULES[model.provenance.rule]
        counts = under(_DOCUMENTS, arrays)
        state = {name: array for name, array in arrays.items() if not name.startswith(_DOCUMENTS)}
        rule.check_state(state, model.n_words, model.n_cells)
        documents = None
        if model.document_coder is not None and counts:
            known = DocumentCounts.from_arrays(counts, model.n_words, model.n_cells)
            documents = LearnedDocuments(model.document_coder, known)
        return Fitted(
            model.provenance.rule,
            Learned(model.coder, state),
            model.vocabulary.counts,
            model.provenance.n_tokens,
            _count(content["n_epochs"]),
            rule.restore_settings(content["settings"]),
            History(0, _numbers(content["energy"]), _numbers(content["cells_used"])),
            documents=documents,
        )
    except DAMAGE as error:
        raise ModelFileError(f"{path} is damaged: {error}") from error


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ValueError(f"{value!r:.30} is not a count")
    return value


def _numbers(values: Any) -> tuple[float, ...]:
    if not isinstance(values, list) or not all(isinstance(v, int | float) for v in values):
        raise ValueError(f"{values!r:.30} are not numbers")
    return tuple(values)
