"""A retriever of LangChain on codes: ``python examples/tools/retriever.py``."""

# %%
# LangChain asks for ``embed_documents`` and ``embed_query``, which a fly has. Any of its vector
# stores will do; this one is in memory.

from langchain_core.vectorstores import InMemoryVectorStore

from skfly import FlyHashVectorizer

TEXTS = [
    "The bank raised the interest rates on loans.",
    "The boat was tied up at the bank of the river.",
    "The orchestra played a symphony.",
    "The striker scored in the final.",
]
fly = FlyHashVectorizer.from_pretrained("en")
store = InMemoryVectorStore.from_texts(TEXTS, fly)
retriever = store.as_retriever(search_kwargs={"k": 1})

# %%
# No word of these questions but the articles need be in the text:

found = [
    retriever.invoke(question)[0].page_content
    for question in ("debt and money", "a concert with violins", "football goals")
]
print(*found, sep="\n")
