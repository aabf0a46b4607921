"""Change the code in small ways and see whether the tests notice.

    python .ci/mutants.py --sample 400 --seed 0 --report mutants.json
    python .ci/mutants.py --only skfly/codes/_matrix.py --sample 0        # all of one file
    python .ci/mutants.py --show mutants.json                             # the survivors again

Each mutant is one change to one file of ``skfly/codes``, ``skfly/learning`` or
``skfly/backends/_numpy.py``, in a copy of the checkout. The tests of the same name run first, and
if they pass, those of the whole room. A forked process does this, so that libraries are imported
once. A mutant that takes too much processor time counts as noticed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import random
import resource
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 120  # of processor time
FOLDERS = {"skfly/codes": "tests/codes", "skfly/learning": "tests/learning"}
REFERENCE = "skfly/backends/_numpy.py"
# about other things than these files, and slow
LEFT_OUT = ("--ignore=tests/codes/test_gpu_index.py",)

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.Pow: ast.Mult,
    ast.MatMult: None,
}  # fmt: skip


def runs(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs: no types, no documentation, no messages, no lists of names."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom):
            continue
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) == "__all__":
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(tree, ast.AnnAssign) and child is tree.annotation:
            continue
        if isinstance(tree, ast.FunctionDef) and child is tree.returns:
            continue
        if isinstance(tree, ast.FunctionDef) and child in tree.decorator_list:
            continue
        if isinstance(child, ast.arg):
            continue
        yield child
        yield from runs(child)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what could stand in the place of a node."""
    if isinstance(node, ast.Compare) and (other := COMPARISONS.get(type(node.ops[0]))):
        yield ast.Compare(node.left, [other(), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp) and (other := ARITHMETIC.get(type(node.op))):
        if not isinstance(node.left, ast.Constant) or not isinstance(node.left.value, str):
            yield ast.BinOp(node.left, other(), node.right)
    elif isinstance(node, ast.AugAssign) and (other := ARITHMETIC.get(type(node.op))):
        yield ast.AugAssign(node.target, other(), node.value)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        changed = copy.copy(node)
        changed.test = ast.UnaryOp(ast.Not(), node.test)
        yield changed
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None:
        if not isinstance(node.value, ast.Constant):
            yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Break | ast.Continue):
        yield ast.Pass()


class Put(ast.NodeTransformer):
    """Puts a node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def mutants_of(path: str) -> Iterator[dict[str, str]]:
    """Yield the changes to a file: where, what it was and is, and the whole source."""
    source = (ROOT / path).read_text()
    seen = set()
    for number, node in enumerate(runs(ast.parse(source))):
        for which, _ in enumerate(changes(node)):
            tree = ast.parse(source)  # a new one: changing it leaves nothing behind
            old = list(runs(tree))[number]
            new = list(changes(old))[which]
            was = ast.unparse(old).splitlines()[0]
            line = getattr(old, "lineno", 0)
            changed = ast.unparse(ast.fix_missing_locations(Put(old, new).visit(tree)))
            if changed in seen or seen.add(changed):
                continue
            yield {
                "where": f"{path}:{line}",
                "was": was,
                "is": ast.unparse(ast.fix_missing_locations(new)).splitlines()[0],
                "source": changed,
            }


def tests_of(path: str) -> list[list[str]]:
    """Return the tests to run, those that notice soonest first."""
    if path == REFERENCE:
        return [["tests/backends/test_numpy.py"], ["tests/backends/test_numba.py"]]
    folder, name = os.path.split(path)
    same = f"{FOLDERS[folder]}/test_{name.lstrip('_')}"
    rest = [[FOLDERS[folder], *LEFT_OUT]]
    if folder == "skfly/learning":
        rest.append(["tests/test_vectorizer.py", "tests/test_resume.py"])
    else:
        rest.append(["tests/keyedvectors/test_queries.py", "tests/test_vectorizer.py"])
    return [[same], *rest] if (ROOT / same).exists() else rest


def notices(checkout: Path, path: str) -> bool:
    """Run the tests in a forked process; return whether one failed."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] != 0
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    os.chdir(checkout)
    sys.path.insert(0, str(checkout))
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    import hypothesis
    import pytest

    hypothesis.settings.register_profile(
        "mutants",
        deadline=None,
        derandomize=True,
        database=None,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],  # not the smallest failure
    )
    hypothesis.settings.load_profile("mutants")
    hypothesis.settings.load_profile = lambda _: None  # the tests' own would come after it
    failed = 0
    try:
        for tests in tests_of(path):
            failed = failed or pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests])
    finally:
        os._exit(1 if failed else 0)


def show(results: list[dict[str, str]]) -> None:
    """Print the survivors, and how many were noticed in each room."""
    for mutant in results:
        if mutant["noticed"] == "no":
            print(f"{mutant['where']}\n    - {mutant['was']}\n    + {mutant['is']}")
    rooms = Counter(str(Path(m["where"]).parent) for m in results)
    noticed = Counter(str(Path(m["where"]).parent) for m in results if m["noticed"] == "yes")
    rooms["all"], noticed["all"] = rooms.total(), noticed.total()
    for room, n in rooms.items():
        print(f"{room}: {noticed[room]} of {n} noticed ({100 * noticed[room] / n:.1f} %)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=400, help="how many; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="a file")
    parser.add_argument("--report", type=Path, help="where the results go, one by one")
    parser.add_argument("--show", type=Path, help="results to show")
    args = parser.parse_args()
    if args.show:
        show(json.loads(args.show.read_text()))
        return
    files = [str(p.relative_to(ROOT)) for f in FOLDERS for p in sorted((ROOT / f).glob("_[!_]*"))]
    files = [args.only] if args.only else [f for f in files if f.endswith(".py")] + [REFERENCE]
    mutants = [mutant for path in files for mutant in mutants_of(path)]
    random.Random(args.seed).shuffle(mutants)
    print(f"{len(mutants)} mutants", flush=True)
    mutants = mutants[: args.sample] if args.sample else mutants
    import hypothesis  # noqa: F401
    import numba  # noqa: F401
    import pytest  # noqa: F401
    import sklearn.feature_extraction.text  # noqa: F401

    with tempfile.TemporaryDirectory() as directory:
        checkout = Path(directory, "checkout")
        ignored = shutil.ignore_patterns(".*", "_build", "dist")
        shutil.copytree(ROOT, checkout, ignore=ignored)
        os.environ["NUMBA_CACHE_DIR"] = str(Path(directory, "numba"))
        os.environ["PYTHONPATH"] = str(checkout)  # for what tests start
        sys.dont_write_bytecode = True
        for path in sorted({mutant["where"].split(":")[0] for mutant in mutants}):
            if notices(checkout, path):
                sys.exit(f"the tests of {path} fail without any change")
        results = []
        for mutant in mutants:
            path = mutant["where"].split(":")[0]
            (checkout / path).write_text(mutant.pop("source"))
            mutant["noticed"] = "yes" if notices(checkout, path) else "no"
            shutil.copy2(ROOT / path, checkout / path)
            results.append(mutant)
            if args.report:
                args.report.write_text(json.dumps(results, indent=1))
    show(results)


if __name__ == "__main__":
    main()
