"""Adapters, with the packages that they are for."""

import asyncio
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from skfly import FlyHashVectorizer

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other packages are theirs


@pytest.fixture
def other_model_path(texts, tmp_path):
    path = tmp_path / "other.skfly"
    FlyHashVectorizer(n_kenyon_cells=24, hash_length=4).fit(texts[:3] * 40).save(path)
    return path


@pytest.fixture
def own_model_path(fly, tmp_path):
    path = tmp_path / "own.skfly"
    fly.save(path)
    return path


@pytest.mark.parametrize("name", ["bertopic", "keybert"])
def test_topics_and_keywords_use_our_codes(name, fly, texts, codes):
    package = pytest.importorskip(name)
    module = pytest.importorskip(f"skfly.adapters.{name}")
    select = pytest.importorskip(f"{name}.backend._utils").select_backend

    embedder = module.FlyEmbedder(fly)

    assert select(embedder) is embedder
    np.testing.assert_array_equal(embedder.embed(texts), codes)
    of_pipeline = module.FlyEmbedder(make_pipeline(fly, Normalizer()))
    np.testing.assert_allclose(2 * of_pipeline.embed(texts), codes)
    if name == "keybert":
        model = package.KeyBERT(model=embedder)
        words = [word for word, _ in model.extract_keywords(texts[1], top_n=2)]
        assert set(words) <= {"bank", "lends", "money"}
        assert words


@pytest.mark.parametrize("name", ["bertopic", "keybert"])
def test_vectors_of_words_are_taken_for_those_of_gensim(name, fly, texts):
    pytest.importorskip(name)
    select = pytest.importorskip(f"{name}.backend._utils").select_backend

    found = select(fly.wv).embed(texts)

    means = [np.mean([fly.wv[word] for word in text.split()], axis=0) for text in texts[:5]]
    np.testing.assert_allclose(found[:5], means)
    assert not found[5].any()


@pytest.mark.parametrize("name", ["bertopic", "keybert"])
def test_an_estimator_is_refused_and_not_replaced_by_another_model(name, fly):
    pytest.importorskip(name)
    select = pytest.importorskip(f"{name}.backend._utils").select_backend

    with pytest.raises(ValueError, match="select a correct Gensim model"):
        select(fly)


@pytest.mark.parametrize(("name", "other"), [("bertopic", "keybert"), ("keybert", "bertopic")])
def test_the_embedder_for_the_other_one_is_refused(name, other, fly):
    select = pytest.importorskip(f"{name}.backend._utils").select_backend
    pytest.importorskip(other)
    module = pytest.importorskip(f"skfly.adapters.{other}")

    with pytest.raises(ValueError, match="select a correct Gensim model"):
        select(module.FlyEmbedder(fly))


@pytest.mark.parametrize(
    ("name", "wrap"),
    [("keybert", make_pipeline), ("keybert", FrozenEstimator), ("bertopic", FrozenEstimator)],
)
def test_other_classes_of_scikit_learn_are_replaced_unasked(name, wrap, fly, monkeypatch):
    select = pytest.importorskip(f"{name}.backend._utils").select_backend
    monkeypatch.setattr(f"{name}.backend._sentencetransformers.SentenceTransformerBackend", str)

    assert "MiniLM" in select(wrap(fly))


def test_bertopic_takes_a_pipeline(fly, texts, codes):
    pytest.importorskip("bertopic")
    from bertopic.backend._utils import select_backend

    embedder = select_backend(make_pipeline(fly))

    np.testing.assert_array_equal(embedder.embed(texts).toarray(), codes)


def test_bertopic_finds_topics_of_our_codes(fly, texts):
    bertopic = pytest.importorskip("bertopic")
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD

    from skfly.adapters.bertopic import FlyEmbedder

    model = bertopic.BERTopic(
        embedding_model=FlyEmbedder(fly),
        umap_model=TruncatedSVD(2, random_state=0),
        hdbscan_model=KMeans(2, random_state=0, n_init=10),
    )
    topics, _ = model.fit_transform(texts[:5] * 4)
    assert topics[0] == topics[2] == topics[4] != topics[1] == topics[3]


@pytest.mark.parametrize("how", ["fly", "adapter"])
def test_langchain_finds_the_nearest_document(fly, texts, codes, how):
    stores = pytest.importorskip("langchain_core.vectorstores")
    from skfly.adapters.langchain import FlyEmbeddings

    embeddings = fly if how == "fly" else FlyEmbeddings(fly)
    store = stores.InMemoryVectorStore.from_texts(texts[:5], embeddings)

    assert store.similarity_search(texts[3], k=1)[0].page_content == texts[3]
    assert embeddings.embed_documents(texts) == codes.tolist()


def test_llama_index_finds_the_nearest_node(fly, texts, codes):
    core = pytest.importorskip("llama_index.core")
    from skfly.adapters.llama_index import FlyEmbedding

    model = FlyEmbedding(fly)
    nodes = [core.schema.TextNode(text=text) for text in texts[:5]]
    index = core.VectorStoreIndex(nodes, embed_model=model)
    found = index.as_retriever(similarity_top_k=1).retrieve(texts[3])

    assert [node.text for node in found] == [texts[3]]
    assert model.get_text_embedding_batch(texts) == codes.tolist()
    assert asyncio.run(model.aget_query_embedding(texts[0])) == codes[0].tolist()


def test_haystack_finds_the_nearest_document(fly, texts, codes):
    haystack = pytest.importorskip("haystack")
    from skfly.adapters.haystack import FlyDocumentEmbedder, FlyTextEmbedder

    documents = [haystack.Document(content=text) for text in texts] + [haystack.Document()]
    pipeline = haystack.Pipeline()
    pipeline.add_component("embed", FlyDocumentEmbedder(fly))
    embedded = pipeline.run({"embed": {"documents": documents}})["embed"]["documents"]

    assert [document.embedding for document in embedded[:-1]] == codes.tolist()
    assert not any(embedded[-1].embedding)
    assert FlyTextEmbedder(fly).run(texts[0])["embedding"] == codes[0].tolist()


def test_txtai_finds_the_nearest_document(fly, texts):
    txtai = pytest.importorskip("txtai")
    from skfly.adapters.txtai import transform

    index = txtai.Embeddings({"method": "external", "transform": transform(fly)})
    index.index(texts[:5])

    assert index.search(texts[3], 1)[0][0] == 3


def chroma_at(path):
    chromadb = pytest.importorskip("chromadb")
    settings = chromadb.Settings(anonymized_telemetry=False)
    return chromadb.PersistentClient(str(path), settings=settings)


def test_chroma_embeds_texts_and_queries(texts, codes, model_path, tmp_path):
    client = chroma_at(tmp_path)
    from skfly.adapters.chroma import FlyFunction

    made = client.create_collection("texts", embedding_function=FlyFunction(model_path))
    made.add(ids=[str(i) for i in range(len(texts))], documents=texts)

    for function in ({}, {"embedding_function": FlyFunction(model_path)}):
        for opened in (client.get_collection, client.get_or_create_collection):
            found = opened("texts", **function).query(query_texts=[texts[3]], n_results=1)
            assert found["ids"] == [["3"]]
    kept = made.get(ids=["0", "5"], include=["embeddings"])["embeddings"]
    np.testing.assert_array_equal(kept, codes[[0, 5]])


def test_chroma_refuses_another_model(texts, own_model_path, other_model_path, tmp_path):
    client = chroma_at(tmp_path)
    from skfly.adapters.chroma import FlyFunction

    made = client.create_collection("texts", embedding_function=FlyFunction(own_model_path))
    made.add(ids=["0"], documents=texts[:1])
    for opened in (client.get_collection, client.get_or_create_collection):
        with pytest.raises(ValueError, match=r"new: skfly-.* persisted: skfly-"):
            opened("texts", embedding_function=FlyFunction(other_model_path))
    other_model_path.replace(own_model_path)
    with pytest.raises(ValueError, match=r"new: skfly-.* persisted: skfly-"):
        client.get_collection("texts", embedding_function=FlyFunction(own_model_path))
    with pytest.raises(ValueError, match="is not the model that the codes were made with"):
        client.get_collection("texts").query(query_texts=[texts[3]])
    made.add(ids=["1"], documents=texts[1:2])  # with the model that it has read
    assert made.query(query_texts=[texts[1]], n_results=1)["ids"] == [["1"]]


def test_chroma_does_not_take_its_own_model_where_ours_was_not_made(fly, texts, tmp_path):
    pytest.importorskip("chromadb")
    fly.save(tmp_path / "fly.skfly")
    script = """
import sys
import chromadb
from skfly.adapters.chroma import FlyFunction

client = chromadb.PersistentClient(sys.argv[1])
if sys.argv[2] == "make":
    made = client.create_collection("texts", embedding_function=FlyFunction(sys.argv[3]))
    made.add(ids=["0"], documents=["ripe fruit"])
else:
    for call in ("query(query_texts=['fruit'])", "add(ids=['1'], documents=['fruit'])"):
        try:
            eval(f"client.get_collection('texts').{call}")
        except ValueError as error:
            print(error)
"""
    for step in ("make", "open"):
        arguments = [str(tmp_path / "db"), step, str(tmp_path / "fly.skfly")]
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script, *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
    name = f"skfly-{fly.model_.fingerprint()}"
    assert done.stdout.count(f"Embedding function {name} not found") == 2


def test_lancedb_embeds_rows_and_queries_and_refuses_another_model(
    texts, codes, own_model_path, other_model_path, tmp_path
):
    lancedb = pytest.importorskip("lancedb")
    pydantic = pytest.importorskip("lancedb.pydantic")
    from skfly.adapters.lancedb import FlyFunction

    def row(path):
        function = FlyFunction.create(name=os.fspath(path))

        class Row(pydantic.LanceModel):
            text: str = function.SourceField()
            vector: pydantic.Vector(function.ndims()) = function.VectorField()

        return Row

    base = lancedb.connect(tmp_path)
    table = base.create_table("texts", schema=row(own_model_path))
    table.add([{"text": text} for text in texts])

    found = table.search(texts[3]).limit(1).to_list()
    assert [row["text"] for row in found] == [texts[3]]
    np.testing.assert_array_equal(np.stack(table.to_arrow()["vector"].to_pylist()), codes)
    with pytest.raises(ValueError, match="does not match existing table schema"):
        base.create_table("texts", schema=row(other_model_path), exist_ok=True)
    other_model_path.replace(own_model_path)
    for use in (lambda t: t.search(texts[3]).to_list(), lambda t: t.add([{"text": texts[3]}])):
        with pytest.raises(ValueError, match="is not the model that the codes were made with"):
            use(base.open_table("texts"))


def test_functions_of_lancedb_read_their_model_once(fly, texts, own_model_path, other_model_path):
    pytest.importorskip("lancedb")
    from skfly.adapters.lancedb import FlyFunction

    made = FlyFunction.create(name=os.fspath(own_model_path))
    bare = FlyFunction(name=made.name, fingerprint=made.fingerprint)
    other_model_path.replace(own_model_path)

    assert made.fingerprint == fly.model_.fingerprint()
    np.testing.assert_array_equal(made.generate_embeddings(texts), fly.as_dense(texts))
    with pytest.raises(ValueError, match="is not the model that the codes were made with"):
        bare.generate_embeddings(texts)


def test_sentence_transformers_adds_up_our_codes(fly, texts, tmp_path):
    library = pytest.importorskip("sentence_transformers")
    fly.to_sentence_transformer().save(str(tmp_path))
    texts = [*texts, "The BANK, a loan", ""]
    model = library.SentenceTransformer(str(tmp_path), device="cpu")
    found = model.encode(texts)
    sums = fly.model_.with_(document_codes="counts").documents(texts).toarray()
    n_words = [max(1, len(fly.model_.tokens(text))) for text in texts]

    np.testing.assert_allclose(found, sums / np.array(n_words)[:, None], rtol=1e-6)
    codes = fly.hash_words(["fly", "bank"]).toarray()
    np.testing.assert_array_equal(model.encode(["fly", "bank"]), codes)


@pytest.mark.parametrize("params", [{"lowercase": False}, {"token_pattern": "x"}, {"phrases": 1}])
def test_sentence_transformers_cannot_read_all_text_as_we_do(fly, texts, params):
    pytest.importorskip("sentence_transformers")
    params = {name: bool(value) if name == "phrases" else value for name, value in params.items()}
    other = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, **params)
    other.fit([text + " x" for text in texts] * 20)
    with pytest.raises(ValueError, match=f"needs {min(params)}="):
        other.to_sentence_transformer()


def test_mteb_scores_a_task_of_its_own_kind_on_local_texts(fly, texts):
    mteb = pytest.importorskip("mteb")
    datasets = pytest.importorskip("datasets")
    from mteb.models import EncoderProtocol
    from mteb.tasks import STSBenchmarkSTS

    from skfly.adapters.mteb import FlyEncoder

    class Local(STSBenchmarkSTS):
        def load_data(self, **_):
            pairs = {"sentence1": [texts[2]] * 3, "sentence2": texts[:3], "score": [3.0, 0.0, 5.0]}
            self.dataset = {"test": datasets.Dataset.from_dict(pairs)}
            self.data_loaded = True

    encoder = FlyEncoder(fly)
    found = mteb.evaluate(encoder, [Local()], cache=None, show_progress_bar=False)

    assert isinstance(encoder, EncoderProtocol)
    assert found.task_results[0].get_score() == pytest.approx(1.0)
