"""What a notebook shows of words and their codes."""

from skfly import FlyKeyedVectors


def test_a_table_of_the_first_words(fitted):
    shown = fitted.wv._repr_html_()
    word, (near, _) = fitted.wv.index_to_key[0], fitted.wv.most_similar(fitted.wv[0], topn=2)[1]
    assert f"<td>{word}</td><td>{fitted.wv.get_vecattr(word, 'count'):,}</td>" in shown
    assert near in shown
    assert shown.count("<tr>") == 9
    assert f"and {len(fitted.wv) - 8} more" in shown
    assert f"{len(fitted.wv)} words, 20 cells, 4 in a code" in shown


def test_words_are_escaped():
    word = "<script>alert('&')</script>"
    wv = FlyKeyedVectors.from_codes([word, "b"], [[1, 0], [1, 1]])
    shown = wv._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;" in shown
    assert "count" not in shown


def test_empty_vectors():
    assert "0 words, 3 cells" in FlyKeyedVectors(3)._repr_html_()
