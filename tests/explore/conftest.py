"""What the tests of the page share: a small model, with words that would like to be markup."""

import pytest

from browsing import CHROMIUM, FLAGS, SLOW, serve
from skfly import FlyHashVectorizer

HOSTILE = "<script>alert(1)</script>"
TEXTS = [
    "the fly eats ripe fruit with the moth",
    "ripe fruit smells sweet to the fly",
    "the bank lends money at high interest",
    "money from the bank pays the loan",
    f"hostile {HOSTILE} &amp; words",
] * 20


@pytest.fixture(scope="session")
def explored():
    """A fitted estimator that the page is made of; words are what stands between spaces."""
    fly = FlyHashVectorizer(
        n_kenyon_cells=40,
        hash_length=4,
        random_state=0,
        n_jobs=1,
        token_pattern=r"\S+",
        sentence_splitter="line",
        max_features=50,
        stop_words=["and", "of"],
        strip_accents="unicode",
    )
    return fly.fit(TEXTS)


@pytest.fixture(scope="module")
def base(explored):
    from skfly.explore import RateLimit, create_app

    app = create_app(explored, name="m.skfly", limit=RateLimit(1e9, 1e9))
    with serve(app) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    from playwright import sync_api

    with sync_api.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=SLOW)
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser, base):
    """Open pages, and look at the end whether any of them complained."""
    contexts, complaints = [], []

    def complain(text, refused):
        # the browser tells of every answer that is an error
        if not (refused and text.startswith("Failed to load resource")):
            complaints.append(text)

    def opened(path="", *, width=1200, refused=False, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        context.set_default_timeout(SLOW)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: complain(message.text, refused) if message.type == "error" else None,
        )
        page.on("dialog", lambda dialog: complaints.append("a dialog: " + dialog.message))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.removeprefix("blob:").startswith("http://127.0.0.1:")
                else
                complaints.append("outside: " + request.url)
            ),
        )  # fmt: skip
        page.goto(path if path.startswith("http") else base / path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
