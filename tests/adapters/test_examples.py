"""The examples with other tools do what their texts say."""

import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other packages are theirs
EXAMPLES = Path(__file__).parents[2] / "examples" / "tools"


def run(name, package):
    pytest.importorskip(package)
    return runpy.run_path(str(EXAMPLES / name))


def test_topics_are_music_and_football():
    done = run("topics.py", "bertopic")
    topics = done["topics"]
    assert len(set(topics[:4])) == len(set(topics[4:8])) == 1
    assert topics[0] != topics[4]


def test_questions_find_texts_without_a_word_in_common():
    done = run("retriever.py", "langchain_core")
    assert done["found"] == [done["TEXTS"][0], done["TEXTS"][2], done["TEXTS"][3]]


def test_notes_of_a_table_tell_the_subject():
    assert run("table.py", "skrub")["score"] > 0.9
