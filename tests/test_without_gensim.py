"""Where gensim cannot be installed, everything but word vectors works."""

import subprocess
import sys

SCRIPT = """
import sys

class NoGensim:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "gensim":
            raise ModuleNotFoundError("No module named 'gensim'", name="gensim")

sys.meta_path.insert(0, NoGensim())

from skfly import DocumentIndex, FlyHashVectorizer
from skfly.demo import read_articles, show_pretrained
from skfly.explore import Explorer

texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, phrases=True, random_state=0).fit(texts)
assert fly.hash_words([next(iter(fly.vocabulary_))]).nnz == 2
assert len(fly.embed_query("sweet fruit")) == 8
index = DocumentIndex(fly)
index.add(texts[:2])
assert index.search(texts[1:2], n=1)[0].tolist() == [[1]]
assert len(Explorer(fly).word("bank", n_neighbours=3)["neighbours"]) == 3
assert show_pretrained()["neighbours"][0]["words"][0] == "loans"
assert "FlyHashVectorizer" in fly._repr_html_()
assert "wv" not in dir(fly)
assert "gensim" not in sys.modules
for needs_it in (lambda: fly.wv, read_articles):
    try:
        needs_it()
    except ImportError as error:
        print(error)
"""


def test_all_but_word_vectors_works_and_these_say_what_is_missing():
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "wv of FlyHashVectorizer) need gensim" in done.stdout
    assert done.stdout.count("gensim") > 2
