"""Links: the fragment holds the typed text, and anybody can make a fragment."""

import urllib.parse

from browser import Keys, PageTest

#: Characters that mean something in links, in markup, in queries or in UTF-16.
HARD = "a+b&c=d%20#é😀 \"'<>\\`"


def fragment(**parameters):
    return "#" + urllib.parse.urlencode(parameters, doseq=True)


class RoundTrip(PageTest):
    def test_what_is_typed_comes_back(self):
        stanza = f"<r>\n<a k='{HARD.replace('<', '&lt;').replace(chr(39), '').replace('&c', '&amp;c')}'/>\n</r>"
        self.page.open()
        self.page.evaluate("a<k=%@>@k", stanza)
        self.page.type("#argument-1", HARD)
        self.page.find("#strict").click()
        self.page.settle()
        address = self.page.driver.current_url
        self.page.open()
        self.assertNotEqual(self.page.value("#query"), "a<k=%@>@k")
        self.page.open(address.removeprefix(self.page.address))
        self.assertEqual(self.page.value("#query"), "a<k=%@>@k")
        self.assertEqual(self.page.value("#stanza"), stanza)
        self.assertEqual(self.page.value("#argument-1"), HARD)
        self.assertEqual(self.page.run("return ['ignore-case', 'strict'].map((id) => document.getElementById(id).checked)"),
                         [False, True])
        self.assertEqual(self.page.attribute("#query", "aria-invalid"), "false")

    def test_a_link_that_is_opened_in_the_page_is_read(self):
        self.page.open()
        self.page.run("location.hash = arguments[0]", fragment(q="/@k", s="<r k='linked'/>", i="1"))
        self.page.until(lambda: self.page.results() == ["linked"], "the link's results")
        self.assertTrue(self.page.run("return document.getElementById('ignore-case').checked"))
        self.assertEqual(self.page.value("#examples"), "")

    def test_the_link_is_copied(self):
        self.page.command(
            "Browser.grantPermissions", origin=self.page.address.rstrip("/"),
            permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.page.open()
        self.page.evaluate("/@k", "<r k='1'/>")
        self.page.hold_notices()
        self.page.find("#copy").click()
        self.page.until(lambda: self.page.texts("#notice") == ["Link copied."], "word of the copy")
        copied = self.page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
        self.assertEqual(copied, self.page.driver.current_url)
        self.assertEqual(self.page.fragment(), {"q": ["/@k"], "s": ["<r k='1'/>"]})
        self.page.end_notices()
        self.assertEqual(self.page.texts("#notice"), [""])


class Hostile(PageTest):
    IMAGE = "<img src=x onerror=\"window.harmed=1\"><script>window.harmed=1</script>"

    def assert_unharmed(self):
        self.assertIsNone(self.page.run("return window.harmed"))
        self.assertEqual(self.page.run("return document.querySelectorAll('img, script').length"), 2)

    def test_markup_in_the_query_is_text(self):
        self.page.open(fragment(q=self.IMAGE, s=self.IMAGE, a=[self.IMAGE]))
        self.assertEqual(self.page.value("#query"), self.IMAGE)
        self.assertEqual(self.page.value("#stanza"), self.IMAGE)
        self.assertGreaterEqual(len(self.page.messages()), 1)
        self.assert_unharmed()

    def test_markup_in_results_and_marks_is_text(self):
        self.page.open(fragment(q="/a#", s=f"<a><![CDATA[{self.IMAGE}]]></a>"))
        self.assertEqual(self.page.results(), [self.IMAGE])
        self.page.all("#results .line")[0].click()
        self.assert_unharmed()

    def test_markup_in_conversions_arguments_and_trees_is_text(self):
        self.page.open(fragment(q=f"a<k={self.IMAGE.replace('>', '')}%d>@b|{self.IMAGE.replace('/', '')}", s="<a/>", a=["<b>"]))
        self.assertGreaterEqual(len(self.page.messages()), 1)
        self.page.find("#listing-tab").click()
        self.assert_unharmed()

    def test_bad_percent_encoding(self):
        for bad in ("#q=%E0%A4%A&s=%", "#q=%ff%fe&s=%zz", "#%", "#&&&=&=&q", "#q=%00%01&s=%EF%BF%BF"):
            with self.subTest(bad):
                self.page.open(bad)
                self.page.evaluate("/@k", "<r k='1'/>")
                self.assertEqual(self.page.results(), ["1"])

    def test_a_link_that_is_too_long_is_not_read(self):
        self.page.open("#q=a&s=" + "x" * 100_000)
        self.assertEqual(self.page.texts("#notice"), ["The link is too long, and was not read."])
        self.assertNotEqual(self.page.value("#query"), "a")
        self.assertLess(len(self.page.value("#stanza")), 10_000)

    def test_too_much_for_a_link_is_reported(self):
        self.page.open()
        self.page.evaluate("/a#", "<a>" + "x" * 120_000 + "</a>")
        self.assertEqual(len(self.page.results()[0]), 120_000)
        self.assertEqual(self.page.fragment(), {})
        self.page.hold_notices()
        self.page.find("#copy").click()
        self.page.until(lambda: self.page.texts("#notice") == ["This is too much text for a link."], "a word about it")

    def test_arguments_without_end(self):
        self.page.open("#q=a&s=%3Ca/%3E" + "&a=1" * 20_000)
        self.assertEqual(self.page.texts(".argument label"), [])
        self.page.type("#query", "a" + "<k=%@>" * 300)
        self.assertEqual(len(self.page.texts(".argument label")), 256)

    def test_a_query_without_extent_in_a_link(self):
        self.page.open("#q=&s=")
        self.assertEqual(self.page.value("#query"), "")
        self.assertEqual(self.page.attribute("#stanza", "aria-invalid"), "false")
        self.assertEqual(len(self.page.texts("#invitation")), 1)

    def test_halves_of_characters_are_answered(self):
        self.page.open()
        self.page.evaluate("/@k", "<r k='1'/>")
        # No keyboard can type half a character, but a program can insert it.
        self.page.run("""
            const area = document.getElementById('query');
            area.value = '/@k\\ud800';
            area.dispatchEvent(new InputEvent('input', { bubbles: true }));
        """)
        self.page.settle()
        # The page sends it as the replacement character. That is part of a name, which no attribute has here.
        self.assertEqual(self.page.texts("#outage p"), [])
        self.assertEqual(self.page.texts("#results-summary"), ["No results"])
        self.assertEqual(self.page.fragment()["q"], ["/@k\ufffd"])
