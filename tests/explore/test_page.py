"""The page in a real browser: Chromium, driven by Playwright."""

import re
from itertools import pairwise

import pytest
from playwright import sync_api
from sklearn.base import clone

from browsing import MARKS, SLOW, serve, wait_for_address
from skfly import DocumentIndex
from skfly.explore import RateLimit, create_app

HOSTILE = "<script>alert(1)</script>"

TURNING = "ripe turned \u202eword fruit"

pytestmark = MARKS


@pytest.fixture(scope="module")
def turning(explored):
    """Where a model and documents are served that have a mark which turns text around."""
    texts = [TURNING, "the bank lends money"] * 20
    fly = clone(explored).fit(texts)
    index = DocumentIndex(fly, keep_texts=True)
    index.add(texts[:1] * 2, ids=["\u202eone", "two"])
    with serve(create_app(fly, index=index, limit=RateLimit(1e9, 1e9))) as address:
        yield address


def words_lit(page):
    page.wait_for_selector(".lit .word")
    return page.locator(".lit .text").all_inner_texts()


def test_type_a_sentence(open_page):
    page = open_page("#/sentence")
    page.wait_for_selector("main >> text=Type any sentence")
    page.fill("#text", "the fly eats ripe unheard fruit")
    assert words_lit(page) == ["the", "fly", "eats", "ripe", "unheard", "fruit"]
    page.wait_for_selector(".cell .cloud text")
    assert page.locator(".cell").count() == 4
    heat = page.locator(".lit .word").evaluate_all(
        "words => words.map(w => Number(getComputedStyle(w).getPropertyValue('--heat')))"
    )
    assert max(heat) == 1
    assert heat[4] == 0
    assert "unknown" in page.locator(".lit .unknown").inner_text()
    wait_for_address(page, "text=the+fly+eats")


@pytest.mark.parametrize(
    ("link", "box"), [("#/sentence", "#text"), ("#/compare", "#a"), ("#/word?w=bank", "#other")]
)
def test_a_view_that_is_left_while_typing_does_not_come_back(open_page, link, box):
    page = open_page(link)
    page.fill(box, "ripe fruit")
    page.evaluate("location.hash = '#/cells'")
    page.wait_for_selector(".list .card")
    page.wait_for_timeout(500)  # more than the pause after which what was typed is read
    assert page.url.endswith("#/cells")


def test_the_temperature_and_the_number_of_cells(open_page):
    page = open_page("#/sentence?text=ripe+fruit&t=0.02")
    page.wait_for_selector(".cell .cloud text")
    sizes = "words => words.map(w => Number(w.getAttribute('font-size')))"
    cold = page.locator(".cell:first-child .cloud text").evaluate_all(sizes)
    page.locator("#temperature").fill("0.3")
    wait_for_address(page, "t=1.995")
    second = page.locator(".cell:first-child .cloud a:nth-child(2) text")
    sync_api.expect(second).not_to_have_attribute("font-size", str(cold[1]), timeout=SLOW)
    hot = page.locator(".cell:first-child .cloud text").evaluate_all(sizes)
    assert sum(hot) / len(hot) > sum(cold) / len(cold)
    page.locator("#n-cells").fill("2")
    page.wait_for_selector(".cells > :nth-child(2):last-child")
    wait_for_address(page, "cells=2")


@pytest.mark.parametrize("chance", [1, 0.001])
def test_a_cloud_leaves_out_no_word(open_page, chance):
    page = open_page("#/home")
    words = [
        [f"{kind}{n}", chance] for n in range(15) for kind in ("consequently", "WW", "果物のハエ")
    ]
    words = [["fly", 1], *words, ["long" * 25, chance]]
    drawn = page.evaluate(
        """async (words) => {
          const { cloud } = await import("/static/cloud.js");
          const picture = cloud(3, words, { width: 352, height: 220 });
          document.body.append(picture);
          const [left, top, width, height] =
            picture.getAttribute("viewBox").split(" ").map(Number);
          return [...picture.querySelectorAll("text")].map((text) => {
            const { e: x, f: y } = text.parentNode.transform.baseVal.consolidate().matrix;
            const half = text.getComputedTextLength() / 2;
            return [text.textContent, Number(text.getAttribute("font-size")),
              left <= x - half && x + half <= left + width && top <= y && y <= top + height];
          });
        }""",
        words,
    )
    assert sorted(word for word, _, _ in drawn) == sorted(word for word, _ in words)
    assert all(inside for _, _, inside in drawn)
    sizes = {word: size for word, size, _ in drawn}
    assert max(sizes.values()) == sizes["fly"]


def test_click_a_word_of_the_sentence(open_page, explored):
    page = open_page("#/sentence?text=the+bank+pays")
    page.wait_for_selector(".lit .word")
    page.click(".lit .word:has-text('bank')")
    page.wait_for_selector("#target .near")
    wait_for_address(page, "target=1")
    assert page.get_attribute(".lit li:nth-child(2) .word", "aria-pressed") == "true"
    here, alone = page.locator("#target .near").all_inner_texts()
    assert "money" in alone
    assert here
    assert "0 of 4" not in here + alone
    assert page.locator("#target .grid a").count() >= 4
    page.click("#target .near >> nth=1 >> a >> nth=0")
    wait_for_address(page, "#/word?w=")
    page.wait_for_selector("#other")
    page.go_back()
    page.wait_for_selector("#target .near")
    assert page.input_value("#text") == "the bank pays"


def test_a_word_and_the_cells_it_shares(open_page, explored):
    page = open_page("#/word?w=bank")
    page.wait_for_selector(".near")
    assert page.inner_text("h1") == "bank"
    assert page.locator(".grid a.on").count() == 4
    page.fill("#other", "money")
    page.wait_for_selector(".score")
    bank, money = (set(explored.hash_words([w]).indices.tolist()) for w in ("bank", "money"))
    shared = bank & money
    assert page.locator(".grid a.both").count() == len(shared) > 0
    assert page.locator(".shared li").count() == len(shared)
    wait_for_address(page, "w=bank&with=money")


def test_compare_two_sentences(open_page):
    page = open_page("#/compare")
    page.wait_for_selector("main >> text=Type two sentences")
    page.fill("#a", "ripe fruit")
    page.fill("#b", "sweet fruit for the fly")
    page.wait_for_selector(".score")
    assert "similar" in page.inner_text(".score")
    sync_api.expect(page.locator(".lit")).to_have_count(2, timeout=SLOW)
    wait_for_address(page, "a=ripe+fruit&b=sweet")
    page.fill("#b", "zzz")
    page.wait_for_selector("text=The model knows no word of the second sentence")


def test_browse_the_cells(open_page, explored):
    page = open_page("#/cells")
    page.wait_for_selector(".list .card")
    assert page.locator(".list .card").count() == 24
    page.click(".pages a:has-text('more')")
    page.wait_for_selector(".pages:has-text('25–')")
    page.click(".tabs a:has-text('Most used')")
    page.wait_for_selector("text=Those in the codes of the most words")
    page.click(".tabs a:has-text('Dead')")
    page.wait_for_selector("text=/In no word's code|No cell is dead/")
    page.goto(page.url.split("#")[0] + "#/cell?n=3")
    page.wait_for_selector("h1:has-text('Cell 3')")
    page.wait_for_selector(".cloud text")
    page.click(".pages a:has-text('4')")
    page.wait_for_selector("h1:has-text('Cell 4')")


def test_search_by_keyboard_only(open_page):
    page = open_page("#/sentence")
    page.wait_for_selector("#text")
    page.locator("h1").focus()
    page.keyboard.press("/")
    page.keyboard.type("fr")
    page.wait_for_selector("#found li[role=option]")
    # not the words with f, which are found first if there was time between the two keys
    found = page.locator("#found li[role=option]")
    sync_api.expect(found.filter(has_text="fly")).to_have_count(0, timeout=SLOW)
    assert page.get_attribute("#search", "aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#search", "aria-activedescendant") == "found-1"
    chosen = page.inner_text("#found-1 span")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"h1:has-text('{chosen}')")
    assert page.evaluate("document.activeElement.id") == "view"
    page.keyboard.press("Escape")
    page.locator("h1").focus()
    page.keyboard.press("4")
    page.wait_for_selector(".list .card")
    page.keyboard.press("1")
    page.wait_for_selector("#text")
    page.keyboard.type("ripe fruit")
    page.wait_for_selector(".lit .text:text-is('fruit')")  # all of it, or words would be lit again
    while page.evaluate("!document.activeElement.matches('.lit .word')"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#target .near")
    while page.evaluate("!document.activeElement.matches('.cloud a')"):
        page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowRight")
    second = page.evaluate("document.activeElement.textContent")
    assert first != second
    page.keyboard.press("Enter")
    wait_for_address(page, "#/word?w=")


def test_search_is_closed_once_a_word_is_chosen(open_page):
    page = open_page("#/sentence")
    page.wait_for_selector("#text")
    held = []
    page.route("**/api/search", lambda route: held.append(route))
    with page.expect_request("**/api/search"):
        page.fill("#search", "fruit")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:has-text('fruit')")
    page.wait_for_selector(".near")
    with page.expect_response("**/api/search"):
        held[0].continue_()
    page.evaluate("fetch('/static/icon.svg')")  # the answer has been taken by then
    assert page.is_hidden("#found")


def test_search_opens_again(open_page):
    page = open_page("#/sentence")
    page.wait_for_selector("#text")
    page.fill("#search", "fr")
    page.wait_for_selector("#found li")
    page.keyboard.press("Escape")
    assert page.is_hidden("#found")
    page.focus("#search")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#found li")
    assert page.get_attribute("#search", "aria-activedescendant") is None
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#search", "aria-activedescendant") == "found-0"
    last = page.locator("#found li").count() - 1
    for mark in (None, f"found-{last}", f"found-{last - 1}"):
        page.keyboard.press("ArrowUp")
        assert page.get_attribute("#search", "aria-activedescendant") == mark


@pytest.mark.parametrize(
    "link",
    [
        "#/sentence?text=the+bank+lends&target=1&cells=3&t=0.3",
        "#/word?w=bank&with=money",
        "#/compare?a=ripe+fruit&b=sweet+fruit",
        "#/cells?order=specific&from=24",
        "#/cell?n=7&t=0.05",
    ],
)
def test_deep_links_say_all(open_page, link):
    page = open_page(link)
    page.wait_for_selector(".card")
    before = page.inner_text("main")
    assert page.url.endswith(link)
    page.reload()
    page.wait_for_selector(".card")
    if "target" in link:
        page.wait_for_selector("#target .near")
    assert page.inner_text("main").startswith(before[:60])


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("#/word?w=zzz", "“zzz” is not among the"),
        ("#/word?w=fruition", "Words with the same beginning: fruit"),
        ("#/word", "Search for a word above"),
        ("#/sentence?text=zzz+qqq", "the model knows none of these words"),
        ("#/sentence?text=+++", "There is no word in this text"),
        ("#/sentence?text=ripe+fruit&target=99", "target 99 is outside the text"),
        ("#/cell?n=4000", "there is no cell 4000"),
        ("#/cell?n=zzz", "there is no cell zzz: the model has cells 0 to 39"),
        ("#/cell", "there is no cell"),
        ("#/word?w=fr%C3%BAit", "The model reads “frúit” as this word"),
        ("#/sentence?text=and+of", "leaves out every word of this text"),
        ("#/compare?a=ripe&b=and+of", "leaves out every word of this text"),
        ("#/sentence?target=0&text=ripe+" + "x" * 1994 + "%F0%9F%98%80+fruit", "ripe in this"),
        ("#/nowhere", "A Kenyon cell is a neuron"),
        ("#/documents", "No index is open"),
        ("#/map?w=zzz", "“zzz” is not on the map"),
    ],
)
def test_states_that_explain_themselves(open_page, link, told):
    page = open_page(refused="target=99" in link)
    page.wait_for_selector("text=A Kenyon cell is a neuron")
    page.goto(page.url.split("#")[0] + link)
    page.wait_for_selector(f"text={told}")


def test_hostile_words_are_shown_as_themselves(open_page):
    page = open_page("#/sentence?text=" + "hostile+%3Cscript%3Ealert(1)%3C%2Fscript%3E+%26amp%3B")
    assert words_lit(page) == ["hostile", HOSTILE, "&amp;"]
    page.wait_for_selector(".cell .cloud text")
    assert HOSTILE in page.locator(".cloud text").all_text_contents()
    page.click(".lit li:nth-child(2) .word")
    page.wait_for_selector("#target .near")
    assert HOSTILE in page.inner_text("#target h2")
    page.fill("#search", "<scr")
    page.wait_for_selector("#found li[role=option]")
    assert HOSTILE in page.inner_text("#found")
    page.keyboard.press("Escape")
    page.goto(page.url.split("#")[0] + "#/word?w=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E")
    page.wait_for_selector("text=is not among the")
    assert page.inner_text("h1") == "<img src=x onerror=alert(1)>"
    assert page.locator("main img, main script").count() == 0


@pytest.mark.parametrize(
    ("view", "name", "ready"),
    [
        ("word", "w", "text=is not among"),
        ("word", "w=fruit&with", "text=is not among"),
        ("sentence", "text", ".lit .unknown"),
        ("compare", "b=fruit&a", ".lit .unknown"),
        ("cell", "n", "text=There is no cell"),
        ("map", "w", "text=is not on the map"),
        ("map", "cell", "canvas[data-labels]"),
        ("map", "sel", "canvas[data-labels]"),
        ("documents", "q", "text=The model knows none of these words"),
        ("documents", "like", "text=there is no document"),
    ],
)
def test_a_megabyte_in_the_address(open_page, turning, view, name, ready):
    page = open_page(turning, refused=name == "like")
    page.wait_for_selector("text=A Kenyon cell is a neuron")
    page.evaluate("to => { location.hash = to + '9'.repeat(1e6); }", f"#/{view}?{name}=")
    page.wait_for_selector(ready)
    assert len(page.inner_text("main")) < 10_000
    sync_api.expect(page).to_have_title(re.compile("^.{1,120}$"), timeout=SLOW)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_megabyte_in_the_search_box(open_page):
    page = open_page()
    page.wait_for_selector("text=A Kenyon cell is a neuron")
    page.focus("#search")
    page.keyboard.insert_text("9" * 10**6)
    page.wait_for_selector("#found:has-text('No word has')")
    assert page.inner_text("#found").count("9") == 100
    page.keyboard.press("Enter")
    page.wait_for_selector("text=is not among")


def test_a_model_without_cells_in_use_says_so(open_page, explored):
    fly = clone(explored).fit(["apple", "pear", "plum"])
    with serve(create_app(fly, limit=RateLimit(1e9, 1e9))) as address:
        page = open_page(address)
        page.wait_for_selector("text=No cell of this model is in use")
        for link, ready in [
            ("#/sentence?text=apple+pear&target=0", "text=No cell responds to these words"),
            ("#/word?w=apple&with=pear", "text=They share no cell"),
            ("#/compare?a=apple&b=pear", "text=No cell responds to the first and the second"),
            ("#/cells?order=specific", "h1"),
            ("#/cell?n=3", ".cloud text"),
            ("#/map?w=apple", "text=Here is apple"),
        ]:
            page.goto(address / link)
            page.wait_for_selector(ready)


# texts, and whether their letters go from left to right; those that have the mark are turned
TURNED = """() => {
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (nodes.nextNode()) {
    const text = nodes.currentNode.data;
    const letters = [...text.matchAll(/\\w(?=\\w)/g)].map(({ index }) => [0, 1].map((step) => {
      const range = document.createRange();
      range.setStart(nodes.currentNode, index + step);
      range.setEnd(nodes.currentNode, index + step + 1);
      return range.getBoundingClientRect();
    })).filter(([a, b]) => a.width && b.width && a.top === b.top);
    if (letters.length) found.push([text, letters.every(([a, b]) => a.left < b.left)]);
  }
  return found;
}"""


@pytest.mark.parametrize(
    ("link", "ready"),
    [
        ("#/word?w=%E2%80%AEword", ".near"),
        ("#/word?w=%E2%81%A9%E2%80%AEunknown", "text=is not among"),
        ("#/sentence?text=turned+%E2%81%A9%E2%80%AEunknown&target=1", "#target h2"),
        ("#/word?w=%E2%80%AEwo", "text=Words with the same beginning"),
        ("#/word?w=turned&with=%E2%80%AEword", ".shared"),
        ("#/word?w=turned&with=%E2%80%AEwo", "text=Words with the same beginning"),
        ("#/sentence?text=turned+%E2%80%AEword+%E2%80%AEunknown&target=2", "#target .near"),
        ("#/map?w=%E2%80%AEword", "text=Here is"),
        ("#/map?w=%E2%80%AEwo", "text=is not on the map"),
        ("#/documents?q=turned", ".results"),
        ("#/documents?same=1", ".groups"),
    ],
)
def test_a_word_that_turns_text_turns_only_itself(open_page, turning, link, ready):
    page = open_page(turning / link)
    page.wait_for_selector(ready)
    found = page.evaluate(TURNED)
    assert any("\u202e" in text for text, _ in found)
    turned = {text.removeprefix("\u2069").strip() for text, from_left in found if not from_left}
    assert turned <= {TURNING, *(f"\u202e{word}" for word in ("word", "wo", "unknown", "one"))}


@pytest.mark.parametrize(
    "link", ["#/word?w=%E2%81%A9%E2%80%AEword", "#/sentence?text=%E2%80%AEword+%E2%80%AEunknown"]
)
def test_titles_and_tooltips_have_no_marks_that_turn_text(open_page, turning, link):
    page = open_page(turning / link)
    sync_api.expect(page).to_have_title(re.compile("^word"), timeout=SLOW)
    tooltips = page.locator("[title]").evaluate_all("found => found.map(e => e.title)")
    tooltips += page.locator("svg title").all_text_contents()
    assert not re.search("[\u2066-\u2069\u202a-\u202e]", page.title() + "".join(tooltips))


def test_a_search_for_a_word_that_turns_text(open_page, turning):
    page = open_page(turning)
    for query, told in [("\u202eword", "\u202eword"), ("\u202ezzz", "in it")]:
        page.fill("#search", query)
        page.wait_for_selector(f"#found:has-text('{told}')")
        found = page.evaluate(TURNED)
        assert {text for text, from_left in found if not from_left} <= {query}


VIEWS = [
    "#/sentence",
    "#/sentence?text=the+bank+lends+" + "long" * 40 + "+money&target=1",
    "#/word?w=bank&with=money",
    "#/compare?a=ripe+fruit&b=sweet+fruit",
    "#/cells",
    "#/cell?n=7",
    "#/home",
    "#/map",
]


@pytest.mark.parametrize("link", VIEWS)
def test_a_narrow_screen_is_enough(open_page, link):
    page = open_page(link, width=375)
    page.wait_for_selector(".card, .note, canvas")
    wide = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1] == 375
    assert page.is_visible("#search")
    assert page.is_visible("nav a >> nth=3")


@pytest.mark.parametrize("link", VIEWS)
def test_headings_leave_out_no_level(open_page, link):
    page = open_page(link)
    page.wait_for_selector(".card, .note, canvas")
    levels = page.locator("h1, h2, h3").evaluate_all("hs => hs.map(h => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


# the colour of an element's text on what is behind it, as WCAG counts contrast
CONTRAST = """element => {
  const rgba = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a]; };
  const over = (a, b) => a.map((part, i) => i === 3 ? 1 : part * a[3] + b[i] * (1 - a[3]));
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  let behind = [255, 255, 255, 1];
  let opacity = 1;
  const around = [];
  for (let at = element; at; at = at.parentElement) around.unshift(getComputedStyle(at));
  for (const style of around) {
    behind = over(rgba(style.backgroundColor), behind);
    opacity *= Number(style.opacity);
  }
  const [r, g, b, a] = rgba(getComputedStyle(element).color);
  const pair = [light(over([r, g, b, a * opacity], behind)), light(behind)].sort((x, y) => y - x);
  return (pair[0] + 0.05) / (pair[1] + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_small_words_stand_out(open_page, scheme):
    page = open_page(
        "#/sentence?text=ripe+fruit+zzz", color_scheme=scheme, reduced_motion="reduce"
    )
    page.wait_for_selector(".lit small")
    small = page.locator(".lit small")
    contrasts = [small.nth(i).evaluate(CONTRAST) for i in range(3)]
    assert min(contrasts) >= 4.5  # the least for small text (WCAG, AA)


def test_light_and_dark(open_page):
    colour = "getComputedStyle(document.body).backgroundColor"
    page = open_page(color_scheme="light")
    light = page.evaluate(colour)
    assert open_page(color_scheme="dark").evaluate(colour) != light
    page.click("#theme")
    dark = page.evaluate(colour)
    assert dark != light
    page.reload()
    assert page.evaluate(colour) == dark


def test_a_token_is_asked_for(open_page, explored):
    with serve(create_app(explored, token="secret-word")) as address:
        page = open_page(address / "#token=secret-word")
        page.wait_for_selector("text=A Kenyon cell is a neuron")
        assert "secret" not in page.url
        page = open_page(address, refused=True)
        page.fill("#token", "wrong")
        page.click("form button")
        page.wait_for_selector("text=This is not the token")
        page.fill("#token", "secret-word")
        page.click("form button")
        page.wait_for_selector("text=A Kenyon cell is a neuron")


def test_the_first_page_teaches(open_page):
    page = open_page()
    page.wait_for_selector("text=A Kenyon cell is a neuron")
    page.wait_for_selector(".grid .on")
    sync_api.expect(page.locator(".facts dt").first).to_be_visible(timeout=SLOW)
    page.click(".tours a >> nth=0")
    page.wait_for_selector(".lit .word")


@pytest.mark.parametrize(
    ("targets", "told"),
    [
        (["ripe fruit", "bank money", "sweet fruit"], "the codes of “fruit” in its two sentences"),
        (["ripe fruit", "bank money"], "Different words light up different places"),
    ],
)
def test_the_first_pictures_are_of_one_word_if_there_are_two_texts(open_page, targets, told):
    page = open_page("#/home")
    tours = [
        {"title": text, "view": "sentence", "params": {"text": text, "target": "1"}}
        for text in targets
    ]

    def answer(route):
        response = route.fetch()
        route.fulfill(response=response, json=response.json() | {"tours": tours})

    page.route("**/api/model", answer)
    page.reload()
    page.wait_for_selector(f"text={told}")
    shown = page.locator(".hero figcaption a").all_inner_texts()
    tried = page.locator(".tours strong").all_inner_texts()
    if len(targets) == 2:
        assert tried == targets
        return
    assert shown == [targets[0], targets[2]]
    assert tried == [targets[1]]  # the others are above
    assert page.locator(".hero b").all_inner_texts() == ["fruit", "fruit"]
    places = """pictures => pictures.map(picture => ["on", "common"].map(kind =>
      [...picture.querySelectorAll(`.${kind} rect`)].map(cell =>
        `${cell.getAttribute("x")} ${cell.getAttribute("y")}`)))"""
    (one, common), (other, same) = page.locator(".hero .grid").evaluate_all(places)
    assert set(common) == set(same) == set(one) & set(other)
    assert common


def test_enter_takes_the_first_suggestion(open_page):
    page = open_page()
    page.wait_for_selector("text=A Kenyon cell is a neuron")
    page.fill("#search", "frui")
    page.wait_for_selector("#found-0:has-text('fruit')")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:text-is('fruit')")


def test_stop_words_are_shown_by_a_switch(open_page):
    page = open_page("#/sentence?text=the+bank+lends&cells=12")
    page.wait_for_selector(".cell .cloud text")
    the = page.locator(".cloud text:text-is('the')")
    sync_api.expect(the).to_have_count(0, timeout=SLOW)
    page.check("#stop-words")
    wait_for_address(page, "stop=1")
    sync_api.expect(the.first).to_be_attached(timeout=SLOW)


def test_the_map_flies_to_a_word_and_opens_it(open_page):
    page = open_page("#/map", reduced_motion="reduce")
    page.wait_for_selector("canvas[data-labels]")
    page.fill("#search", "fruit")
    page.wait_for_selector("#found-0:has-text('fruit')")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Here is fruit")
    wait_for_address(page, "#/map?w=fruit")
    box = page.locator("canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("h1:text-is('fruit')")


def test_the_address_says_where_on_the_map_one_is(open_page):
    page = open_page("#/map?w=fruit", reduced_motion="reduce")
    page.wait_for_selector("text=Here is fruit")
    box = page.locator(".map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 150, y + 90, steps=3)
    page.mouse.up()
    wait_for_address(page, "w=fruit&at=")
    address = page.url
    for _ in range(2):
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        page.mouse.move(x + 150, y + 90)
        page.wait_for_selector(".pointed:text-is('fruit')")
        page.reload()
        page.wait_for_selector("canvas[data-labels]")
        assert page.url == address
    page.focus(".map .view")
    page.keyboard.press("+")
    page.wait_for_function("address => location.href !== address", arg=address)
    page.click("text=Show all")
    page.wait_for_function("location.hash === '#/map'")
    page.go_back()
    page.wait_for_selector("text=Here is fruit")
    assert page.url != address


@pytest.mark.parametrize("at", ["", "1", "1,2,x", "9e9,0,1", "0,0,1e99", "0,0,-1", "1,2,3,4"])
def test_a_place_on_the_map_that_is_none(open_page, at):
    page = open_page(f"#/map?at={at}")
    page.wait_for_selector("canvas[data-labels]")


def test_documents_as_one_types(open_page, explored):
    index = DocumentIndex(explored, keep_texts=True)
    index.add(["ripe fruit smells sweet", f"hostile {HOSTILE}", "the bank lends money"])
    with serve(create_app(explored, index=index)) as address:
        page = open_page(address / "#/documents")
        page.wait_for_selector("text=3 documents")
        page.fill("#query", "bank money")
        first = page.locator(".results li").first
        sync_api.expect(first).to_contain_text("the bank lends money", timeout=SLOW)
        page.wait_for_selector(".results .grid .on")
        page.click(".results h2 a >> nth=0")
        page.wait_for_selector("h2:has-text('More like this')")
        wait_for_address(page, "like=2")
        page.fill("#query", "hostile")
        sync_api.expect(first).to_contain_text(HOSTILE, timeout=SLOW)
        page.fill("#query", "zzz")
        page.wait_for_selector("text=The model knows none of these words")
