"""Build what is released, twice, and try it as a user gets it: ``tox -e release``.

Into the directory given as argument go the sdist, the wheel, a list of all that an installation
holds (CycloneDX) and the checksums. It ends with an error if two builds differ, if the metadata is
not in order, or if the wheel does not install, with pip or with uv, into an empty environment and
run ``skfly demo`` there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(*command: str | Path, **options: object) -> str:
    print("$", *command, flush=True)
    return subprocess.run(
        [str(part) for part in command], check=True, text=True, stdout=subprocess.PIPE, **options
    ).stdout


def build(place: Path) -> dict[str, str]:
    """Build sdist and wheel of the last commit's time; return their checksums."""
    time = run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    run(
        sys.executable, "-m", "build", "--outdir", place, ROOT,
        env=os.environ | {"SOURCE_DATE_EPOCH": time},
    )  # fmt: skip
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(place.iterdir())
        if path.suffix in {".gz", ".whl"}
    }


def try_out(python: Path, place: Path) -> None:
    """Run the demo of what is installed beside a Python, far from the checkout."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    where = run(python, "-c", "import skfly; print(skfly.__file__)", cwd=place, env=clean)
    if not Path(where.strip()).is_relative_to(python.parents[1]):
        sys.exit(f"{where.strip()} is not the wheel's")
    run(python.with_name("skfly"), "demo", "--quiet", cwd=place, env=clean)
    if not (place / "demo.skfly").stat().st_size:
        sys.exit("the demo has left no model")


def vendored() -> list[dict[str, object]]:
    """Return the components that NOTICE names, as CycloneDX has them."""
    named = re.findall(r"(?m)^(\S+) ([\d.]+), .*, (\S+)$", (ROOT / "NOTICE").read_text())
    return [
        {
            "type": "library",
            "name": name,
            "version": version,
            "bom-ref": f"vendored-{name}",
            "purl": f"pkg:npm/{name}@{version}",
            "licenses": [{"license": {"id": licence}}],
        }
        for name, version, licence in named
    ]


def write_bom(python: Path, path: Path) -> None:
    """Write all components of an environment and what is vendored."""
    run(
        sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible",
        "--output-file", path, python,
    )  # fmt: skip
    bom = json.loads(path.read_text())
    bom["components"] += vendored()
    names = {component["name"] for component in bom["components"]}
    if missing := {"skfly", "numpy", "scikit-learn", "gensim", "numba", "d3-cloud"} - names:
        sys.exit(f"the list of components lacks {missing}")
    path.write_text(json.dumps(bom, indent=2) + "\n")


def main(place: Path) -> None:
    if place.is_dir():
        for path in place.iterdir():
            path.unlink()
    sums = build(place)
    with tempfile.TemporaryDirectory() as directory:
        temporary = Path(directory)
        if (again := build(temporary / "again")) != sums:
            sys.exit(f"two builds differ: {sums} and {again}")
        run(sys.executable, "-m", "twine", "check", "--strict", *map(str, place.iterdir()))
        wheel = next(place.glob("*.whl"))

        run(sys.executable, "-m", "venv", temporary / "pip")
        with_pip = temporary / "pip" / "bin" / "python"
        run(with_pip, "-m", "pip", "install", "--quiet", wheel)
        run(with_pip, "-m", "pip", "check")
        (temporary / "1").mkdir()
        try_out(with_pip, temporary / "1")
        bom = wheel.with_name("-".join(wheel.name.split("-")[:2]) + ".cdx.json")
        write_bom(with_pip, bom)

        run(sys.executable, "-m", "uv", "venv", "--python", sys.executable, temporary / "uv")
        with_uv = temporary / "uv" / "bin" / "python"
        run(sys.executable, "-m", "uv", "pip", "install", "--python", with_uv, wheel)
        (temporary / "2").mkdir()
        try_out(with_uv, temporary / "2")
    sums[bom.name] = hashlib.sha256(bom.read_bytes()).hexdigest()
    lines = [f"{checksum}  {name}\n" for name, checksum in sums.items()]
    (place / "SHA256SUMS").write_text("".join(lines))
    print("".join(lines), end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
