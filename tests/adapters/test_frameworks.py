"""Adapters, with the packages that they are for."""

import asyncio
import os

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from skfly import FlyHashVectorizer

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other packages are theirs


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


def test_chroma_keeps_the_name_of_the_model_and_refuses_another(
    fly, texts, codes, model_path, tmp_path
):
    chromadb = pytest.importorskip("chromadb")
    from skfly.adapters.chroma import FlyFunction

    settings = chromadb.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(tmp_path), settings=settings)
    made = client.create_collection("texts", embedding_function=FlyFunction(model_path))
    made.add(ids=[str(i) for i in range(len(texts))], documents=texts)
    opened = client.get_collection("texts")

    assert opened.query(query_texts=[texts[3]], n_results=1)["ids"] == [["3"]]
    kept = opened.get(ids=["0", "5"], include=["embeddings"])["embeddings"]
    np.testing.assert_array_equal(kept, codes[[0, 5]])
    FlyHashVectorizer(n_kenyon_cells=24, hash_length=4).fit(texts[:3] * 40).save(model_path)
    try:
        with pytest.raises(ValueError, match="is not the model that the codes were made with"):
            client.get_collection("texts").query(query_texts=[texts[3]])
    finally:
        fly.save(model_path)


def test_lancedb_embeds_rows_and_queries_and_refuses_another_model(
    fly, texts, codes, model_path, tmp_path
):
    lancedb = pytest.importorskip("lancedb")
    pydantic = pytest.importorskip("lancedb.pydantic")
    from skfly.adapters.lancedb import FlyFunction

    function = FlyFunction.create(name=os.fspath(model_path))

    class Row(pydantic.LanceModel):
        text: str = function.SourceField()
        vector: pydantic.Vector(function.ndims()) = function.VectorField()

    table = lancedb.connect(tmp_path).create_table("texts", schema=Row)
    table.add([{"text": text} for text in texts])

    found = table.search(texts[3]).limit(1).to_list()
    assert [row["text"] for row in found] == [texts[3]]
    np.testing.assert_array_equal(np.stack(table.to_arrow()["vector"].to_pylist()), codes)
    FlyHashVectorizer(n_kenyon_cells=24, hash_length=4).fit(texts[:3] * 40).save(model_path)
    try:
        with pytest.raises(ValueError, match="is not the model that the codes were made with"):
            lancedb.connect(tmp_path).open_table("texts").search(texts[3]).limit(1).to_list()
    finally:
        fly.save(model_path)


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
