"""Score a model on English tasks of MTEB, whose texts are downloaded.

``python examples/benchmarks/mteb_scores.py`` needs ``pip install mteb`` and a network, and writes
a line for each task to standard output: its main score in percent, and the mean of each kind.
"""

from __future__ import annotations

import argparse

from skfly import FlyHashVectorizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default="en", help="en, or the path of a model file")
    parser.add_argument("--types", nargs="+", default=["STS", "Classification"])
    parser.add_argument("--codes", default="graded", choices=["binary", "graded", "counts"])
    options = parser.parse_args()

    import mteb

    from skfly.adapters.mteb import FlyEncoder

    fly = FlyHashVectorizer.from_pretrained(options.model)
    fly.set_params(document_codes=options.codes)
    benchmark = mteb.get_benchmark("MTEB(eng, v2)")
    tasks = [task for task in benchmark.tasks if task.metadata.type in options.types]
    for kind in options.types:
        scores = []
        for task in (task for task in tasks if task.metadata.type == kind):
            result = mteb.evaluate(FlyEncoder(fly), task, show_progress_bar=False)
            scores.append(100 * result.task_results[0].get_score())
            print(f"{kind}\t{task.metadata.name}\t{scores[-1]:.1f}", flush=True)
        if scores:
            print(f"{kind}\tmean of {len(scores)}\t{sum(scores) / len(scores):.1f}", flush=True)


if __name__ == "__main__":
    main()
