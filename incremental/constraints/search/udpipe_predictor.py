"""UDPipe 1 as a predictor: another parser's analysis of the same words. Needs the extra `udpipe`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from treewhile.incremental.constraints.machine.situations import Prediction, Predictions
from treewhile.incremental.search import SearchRequest
from treewhile.oracles.errors import InputError


class UdpipePredictor:
    """Predictor that tags and parses the words so far as a whole sentence, by a UDPipe model."""

    def __init__(self, path: str | Path) -> None:
        self._module = _module()
        if not Path(path).is_file():
            raise InputError(f"there is no file {str(path)!r:.200}: give a model of UDPipe 1")
        self._model = self._module.Model.load(str(path))
        if self._model is None:
            raise InputError(f"no model of UDPipe 1 can be read: give one, at {path}")

    def __call__(self, request: SearchRequest) -> Predictions:
        """Return the head of every word, and its label if the model knows it."""
        sentence, default = self._module.Sentence(), self._model.DEFAULT
        for word in request.words:
            sentence.addWord(word)
        error = self._module.ProcessingError()
        if not (self._model.tag(sentence, default, error) and self._model.parse(sentence, default, error)):
            raise InputError(f"UDPipe cannot parse these words ({error.message}): use another model of it")
        known = request.rescored.arcs.label_numbers
        words = [sentence.words[number] for number in range(1, len(request.words) + 1)]
        return [Prediction(word.head, word.deprel if word.deprel in known else None) for word in words]


def _module() -> Any:
    try:
        return import_module("ufal.udpipe")
    except ImportError:
        raise InputError("UDPipe is not installed: pip install 'treewhile[udpipe]'") from None
