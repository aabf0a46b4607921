"""The map, documents, pictures to take away, and the page without a server, in Chromium."""

import csv
import io
import struct
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

import pytest
from PIL import Image, ImageChops
from playwright import sync_api

from browsing import MARKS, NEEDED, SLOW, Address, serve, wait_for_address
from skfly import DocumentIndex
from skfly.explore import Explorer, RateLimit, create_app, write_page

pytestmark = MARKS

NOTES = [
    "ripe fruit smells sweet",
    "the bank lends money. Nobody pays the loan",
    "ripe fruit smells sweet",
]
EVERYTHING = "-500,-500,10500,-500,10500,10500,-500,10500"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def documents(explored):
    """Where the page is served with an index."""
    index = DocumentIndex(explored, keep_texts=True)
    index.add(NOTES, ids=["fruit", "bank", "copy"])
    app = create_app(explored, name="m.skfly", index=index, limit=RateLimit(1e9, 1e9))
    with serve(app) as address:
        yield address


@pytest.fixture(scope="module")
def files_only(explored, tmp_path_factory):
    """Where the page lies as plain files, in a folder of a web server."""
    root = tmp_path_factory.mktemp("root")
    write_page(Explorer(explored, "m.skfly"), root / "models")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Address(f"http://127.0.0.1:{server.server_port}/models/")
    server.shutdown()
    thread.join(30)
    server.server_close()


def drag(page, *corners):
    """Press at the first of some places of the map, in shares of its size, and draw on."""
    box = page.locator(".map").bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=3)
    page.mouse.up()


def test_a_selection_drawn_on_the_map_tells_what_it_has_in_common(open_page, documents):
    page = open_page(documents / "#/map")
    page.wait_for_selector("canvas[data-labels]")
    page.click("#lasso")
    drag(page, (0.01, 0.01), (0.6, 0.02), (0.6, 0.98), (0.02, 0.98))
    page.wait_for_selector("#selection h2:has-text('Selected:')")
    wait_for_address(page, "sel=")
    page.reload()
    page.wait_for_selector("#selection .grid .on")
    page.click("text=Clear the selection")
    page.wait_for_selector("#selection h2", state="detached")
    page.click("#in-view")  # without a mouse
    page.wait_for_selector("#selection >> text=and 3 documents")


def part(page, x, y):
    """Return a picture of a part of the map, whose corner lies there."""
    box = page.locator(".map").bounding_box()
    return page.screenshot(
        clip={"x": box["x"] + x, "y": box["y"] + y, "width": 400, "height": 200}
    )


def look_the_same(one, other):
    """Return whether two pictures differ at most in the rounding of soft edges."""
    one, other = (Image.open(io.BytesIO(picture)).convert("RGB") for picture in (one, other))
    return max(most for _, most in ImageChops.difference(one, other).getextrema()) <= 2


# resolves once the frame that was asked for is drawn
NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def test_a_drag_moves_the_map_as_a_picture_and_draws_it_where_it_ends(open_page):
    page = open_page("#/map")
    page.wait_for_selector("canvas[data-labels]")
    canvas = page.locator(".map canvas")
    before = part(page, 600, 150)
    box = page.locator(".map").bounding_box()
    x, y = box["x"] + 900, box["y"] + 200

    def move(dx, dy):
        page.mouse.move(x + dx, y + dy)
        page.evaluate(NEXT_FRAME)

    page.mouse.move(x, y)
    page.mouse.down()
    move(10, 6)  # drawn with what lies around the view
    sync_api.expect(canvas).to_have_css("translate", "none")
    move(90, 56)
    sync_api.expect(canvas).to_have_css("translate", "80px 50px")
    assert look_the_same(part(page, 690, 206), before)
    move(-300, 56)  # as far as the next words are out of view
    sync_api.expect(canvas).to_have_css("translate", "-310px 50px")
    assert look_the_same(part(page, 300, 206), before)
    move(-590, 56)  # more than was drawn
    sync_api.expect(canvas).to_have_css("translate", "none")
    assert look_the_same(part(page, 10, 206), before)
    move(0, 0)
    page.mouse.up()
    page.mouse.move(0, 0)
    page.evaluate(NEXT_FRAME)
    sync_api.expect(canvas).to_have_css("translate", "none")
    assert look_the_same(part(page, 600, 150), before)


def test_the_map_marks_neighbours_and_words_of_a_cell(open_page):
    page = open_page("#/map?w=fruit", reduced_motion="reduce")
    page.wait_for_selector("canvas[data-marked]:not([data-marked='0'])")
    page.goto(page.url.split("#")[0] + "#/cell?n=7")
    page.click("text=Show them on the map")
    page.wait_for_selector("text=Words whose codes contain cell")
    page.wait_for_selector("canvas[data-marked]:not([data-marked='0'])")


def test_a_marked_word_is_labelled_below_where_there_is_no_room_above(open_page):
    page = open_page()
    drawn = page.evaluate(
        """async () => {
          const { drawMap } = await import("/static/drawmap.js");
          const data = { words: ["fly", "fruit", "moth"], x: [500, 500, 500],
            y: [500, 502, 504], regions: [0, 0, 0], of: [[0, 1, 2]], labelled: [0, 1, 2],
            documents: { x: [], y: [] } };
          return [[], [0], [0, 1, 2]].map((marked) => {
            const canvas = document.createElement("canvas");
            const pen = canvas.getContext("2d");
            const labels = [];
            pen.fillText = (word, x, y) => labels.push([word, y, pen.globalAlpha]);
            canvas.getContext = () => pen;
            drawMap(canvas, { data, at: { x: 0, y: 0, k: 1 }, size: [1000, 1000], isWide: false,
              scale: 1000, marked: new Set(marked) });
            return labels;
          });
        }"""
    )
    assert drawn == [[["fly", 495, 1]], [["fly", 495, 1]], [["fly", 495, 1], ["fruit", 520, 1]]]


def test_documents_are_a_layer_of_the_map(open_page, documents):
    page = open_page(documents / "#/map")
    page.check("#docs")
    wait_for_address(page, "docs=1")
    page.reload()
    page.wait_for_selector("canvas[data-labels]")
    assert page.is_checked("#docs")
    page.wait_for_selector(".legend >> text=3 documents")
    page.uncheck("#docs")
    page.wait_for_selector(".legend .layer", state="hidden")


def test_near_duplicates(open_page, documents):
    page = open_page(documents / "#/documents")
    page.click("text=Near-duplicates")
    page.wait_for_selector("text=2 documents that are nearly the same")
    assert page.locator(".groups a").all_inner_texts() == ["fruit", "copy"]
    page.click(".groups a >> nth=0")
    page.wait_for_selector("h2:has-text('More like this')")
    page.go_back()
    page.wait_for_selector(".groups")
    sync_api.expect(page.locator("#query")).to_be_hidden()
    page.click(".tabs >> text=Search")
    page.click(".note a:text-is('fruit')")  # an example
    sync_api.expect(page.locator(".results li").first).to_contain_text("75% similar")


def test_words_that_made_a_document_match_are_bold_in_its_text(open_page, documents):
    page = open_page(documents / "#/documents?q=money")
    first = page.locator(".results li").first
    sync_api.expect(first).to_contain_text("the bank lends money. Nobody pays the loan")
    assert first.locator("p b").all_inner_texts() == ["bank", "lends", "pays", "loan"]
    because = first.locator(".usage a").all_inner_texts()
    assert {"bank", "lends", "pays", "loan"} <= set(because)


def test_passages_that_excite_a_cell(open_page, documents, explored):
    cell = explored.hash_words(["money"]).indices[0]
    page = open_page(documents / f"#/cell?n={cell}")
    first = page.locator(".passages li").first
    sync_api.expect(first).to_contain_text("the bank lends money.", timeout=SLOW)
    _, text = saved(page, f"[aria-label='Save as CSV: Passages of cell {cell}']")
    assert b"the bank lends money" in text
    page.click(".passages a:text-is('bank') >> nth=-1")


def test_all_that_a_cloud_is_saved_as_is_in_one_row(open_page):
    page = open_page("#/cell?n=7")
    page.wait_for_selector(".big .saves")
    assert page.locator(".big .saves .save").all_inner_texts() == ["SVG", "PNG", "CSV"]


def saved(page, button):
    with page.expect_download(timeout=SLOW) as download:
        page.click(button)
    with open(download.value.path(), "rb") as file:
        return download.value.suggested_filename, file.read()


def test_pictures_are_saved(open_page):
    page = open_page("#/word?w=bank")
    name, svg = saved(page, "[aria-label='Save as SVG: The code of bank']")
    assert name == "The-code-of-bank.svg"
    assert svg.count(b"<rect") == 1 + 4  # the paper, and the cells
    assert b"class=" not in svg
    assert b'paint-order="stroke' in svg  # names of regions can be read above squares
    assert b"href" not in svg
    name, png = saved(page, "[aria-label='Save as PNG: The code of bank']")
    assert name.endswith(".png")
    assert png.startswith(b"\x89PNG")
    page = open_page("#/map")
    page.wait_for_selector("canvas[data-labels]")
    _, png = saved(page, ".tools .save")
    assert png.startswith(b"\x89PNG")
    size = page.locator(".map .view").evaluate("view => [view.clientWidth, view.clientHeight]")
    assert list(struct.unpack(">II", png[16:24])) == size  # what is seen, not what lies around it


def test_names_of_regions_lie_above_the_squares_and_let_clicks_through(open_page):
    page = open_page("#/word?w=bank")
    page.wait_for_selector(".grid .on")
    assert page.locator(".grid > :last-child").get_attribute("class") == "names"
    hit = page.locator(".grid .names text").evaluate_all(
        """names => names.map(name => {
          name.scrollIntoView({ block: "center" });
          const box = name.getBoundingClientRect();
          return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2).tagName;
        })"""
    )
    assert hit
    assert "text" not in hit  # a cell below its region's name can be clicked


def test_buttons_are_beside_what_they_save(open_page, documents):
    page = open_page(documents / "#/documents?like=0")
    page.wait_for_selector(".savable .grid")
    picture = page.locator(".savable > .grid").first.bounding_box()
    buttons = page.locator(".savable > .saves").first.bounding_box()
    right = picture["x"] + picture["width"]
    assert buttons["x"] + buttons["width"] == pytest.approx(right, abs=1)


def test_the_footer_counts_the_views(open_page, base, documents):
    for where, last in [(base, "5"), (documents, "6")]:
        page = open_page(where)
        page.wait_for_selector(".hero .on")
        assert page.inner_text("#last-view") == last


@pytest.mark.parametrize("view", ["sentence", "compare"])
def test_an_empty_view_has_examples(open_page, view):
    params = {"sentence": {"text": "ripe fruit"}, "compare": {"a": "ripe fruit", "b": "sweet fly"}}
    page = open_page()

    def with_tour(route):
        model = route.fetch().json()
        model["tours"] = [{"title": "One", "view": v, "params": p} for v, p in params.items()]
        route.fulfill(json=model)

    page.route("**/api/model", with_tour)
    page.goto(page.url.split("#")[0] + f"#/{view}")
    page.reload()
    page.click(".examples a")
    page.wait_for_selector(".lit .word")
    wait_for_address(page, f"#/{view}?")


def test_tables_are_saved(open_page):
    page = open_page("#/word?w=bank")
    name, text = saved(page, "[aria-label='Save as CSV: Nearest words']")
    assert name == "Nearest-words.csv"
    rows = list(csv.reader(io.StringIO(text.decode())))
    assert rows[0] == ["word", "shared_cells", "cells", "count", "rank"]
    assert [row[0] for row in rows[1:]] == page.locator(".near a").all_inner_texts()


@pytest.mark.parametrize(
    ("link", "label", "columns"),
    [
        (f"#/map?sel={EVERYTHING}", "Selected words", ["word"]),
        (f"#/map?sel={EVERYTHING}", "Selected documents", ["id", "text"]),
        ("#/map?sel=0,0,9000,0,0,9000", "Cells of the selection", ["cell", "name", "share"]),
        (
            "#/cells?order=used",
            "Cells used",
            ["cell", "name", "words", "n_used", "share_used", "breadth"],
        ),
        ("#/documents?q=fruit", "Documents", ["id", "score", "because", "text"]),
    ],
)
def test_every_list_is_saved_as_a_table(open_page, documents, link, label, columns):
    page = open_page(documents / link)
    name, text = saved(page, f"[aria-label='Save as CSV: {label}']")
    assert name == f"{label.replace(' ', '-')}.csv"
    rows = list(csv.reader(io.StringIO(text.decode())))
    assert rows[0] == columns
    assert len(rows) > 1


def test_what_a_spreadsheet_would_run_is_saved_as_text(open_page):
    page = open_page("#/sentence?text=ripe+%3D1%2B1+fruit")
    _, text = saved(page, "[aria-label='Save as CSV: Words of the sentence']")
    assert "\r\n'=1+1,false,0\r\n" in text.decode()


@pytest.mark.parametrize(
    "link",
    ["#/word?w=bank&with=money", "#/word?w=fruition", "#/cells?order=specific", "#/cell?n=3",
     "#/cell?n=3&stop=1", f"#/map?sel={EVERYTHING}", "#/map?sel=0,0,5000,0,5000,5000,0,5000"],
)  # fmt: skip
def test_plain_files_answer_as_the_server_does(open_page, base, files_only, link):
    pages = [open_page(where / link) for where in (base, files_only)]
    for page in pages:
        page.wait_for_selector(".near, .list .card, .cloud text, #selection h2, .note")
        page.wait_for_load_state("networkidle")
        # what only a server can do
        page.evaluate("document.querySelectorAll('.controls').forEach(e => e.remove())")
    answered, read = (page.locator("main") for page in pages)
    sync_api.expect(read).to_have_text(answered.text_content(), timeout=SLOW)


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("#/sentence", "This copy of the page is read-only"),
        ("#/compare", "This copy of the page is read-only"),
        ("#/documents", "This copy of the page has no documents"),
    ],
)
def test_plain_files_tell_what_they_cannot_do(open_page, files_only, link, told):
    page = open_page(files_only / link)
    page.wait_for_selector(f"text={told}")


def test_plain_files_search_and_show_the_examples(open_page, files_only):
    page = open_page(files_only)
    page.wait_for_selector(".hero .on")
    page.click(".tours a >> nth=0")
    page.wait_for_selector(".lit .word")
    page.wait_for_selector(".cell .cloud text")
    page.fill("#text", "ripe fruit for everyone")
    page.wait_for_selector("text=This copy of the page is read-only")
    page.fill("#search", "frui")
    page.wait_for_selector("#found-0:has-text('fruit')")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:text-is('fruit')")


VIEWS = {
    "#/home": ".hero .on",
    "#/sentence?text=the+bank+lends+zzz&target=1": "#target .near",
    "#/compare?a=ripe+fruit&b=sweet+fruit": ".cell .cloud text",
    "#/word?w=bank&with=money": ".score",
    "#/cells": ".list .card",
    "#/cell?n=7": ".cloud text",
    f"#/map?docs=1&sel={EVERYTHING}": "#selection h2",
    "#/documents?q=sweet+fruit": ".results .on",
    "#/documents?like=0": ".results .on",
    "#/documents?same=1": ".groups",
}


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core."""
    package = "axe_playwright_python"
    if not NEEDED:
        pytest.importorskip(package)
    return (files(package) / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("link", VIEWS)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_axe_finds_nothing(open_page, documents, axe, link, width, scheme):
    page = open_page(documents / link, width=width, color_scheme=scheme, reduced_motion="reduce")
    page.wait_for_selector(VIEWS[link])
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
