"""The page without a mouse."""

from browser import HOLD, Keys, PageTest
from stanzas import NESTED


class Keyboard(PageTest):
    def stops(self, backwards=False):
        """Where the Tab key leads, until it leaves the page or comes around."""
        found = [self.page.focused()]
        for _ in range(60):
            if backwards:
                self.page.keys(Keys.SHIFT, Keys.TAB)
            else:
                self.page.press(Keys.TAB)
            stop = self.page.focused()
            if stop is None or stop in found:
                return found
            found.append(stop)
        self.fail(f"the Tab key does not come to an end: {found}")

    def test_everything_is_reached_in_order_and_left_again(self):
        self.page.open()
        self.page.evaluate("a/b<k=%@>@k|integer", NESTED)
        self.page.run("document.querySelector('#query-mistakes .fix').id = 'fix'")
        self.page.run("document.getElementById('skip').focus()")
        order = ["skip", "examples", "copy", "ignore-case", "strict", "query", "fix", "copy-swift", "copy-objective-c",
                 "copy-lua", "brief", "stanza", "tree-tab", "tree"]
        self.assertEqual(self.stops(), order)
        self.page.run("document.querySelector('#tree .line[tabindex=\"0\"]').focus()")
        self.assertEqual(self.stops(backwards=True), order[::-1])

        self.page.evaluate("a/b<k=%@>@k|int", NESTED)
        self.page.type("#argument-1", "1")
        self.page.run("document.getElementById('skip').focus()")
        order[6] = "argument-1"
        order.insert(order.index("tree-tab"), "results")
        self.assertEqual(self.stops(), order)

    def test_every_stop_shows_that_it_has_the_focus(self):
        self.page.open()
        self.page.evaluate("a/b<k=%@>@k|int", NESTED)
        self.page.type("#argument-1", "1")
        self.page.run("document.getElementById('skip').focus()")
        outlined = """
            const e = document.activeElement;
            return [e, e.closest('.editor')].some((shown) => {
                if (!shown) return false;
                const style = getComputedStyle(shown);
                return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
            });
        """
        for _ in range(10):
            self.page.press(Keys.TAB)
            self.assertTrue(self.page.run(outlined), self.page.focused())

    def test_the_skip_link_leads_to_the_query_and_keeps_the_fragment(self):
        self.page.open("#q=a&s=%3Cr/%3E")
        self.page.press(Keys.TAB)
        self.assertEqual(self.page.focused(), "skip")
        before = self.page.driver.current_url
        self.page.press(Keys.ENTER)
        self.assertEqual(self.page.focused(), "query")
        self.assertEqual(self.page.driver.current_url, before)

    def test_an_example_is_chosen(self):
        self.page.open()
        self.page.run("document.getElementById('examples').focus()")
        self.page.press(Keys.ARROW_DOWN)
        self.page.until(lambda: self.page.value("#examples") == "1", "the second example")
        self.page.settle()
        self.assertEqual(self.page.value("#query"), "/@id")

    def test_a_result_is_chosen(self):
        self.page.open()
        self.page.evaluate("a/b@k", NESTED)
        self.page.find("#stanza").click()
        self.page.press(Keys.TAB)
        self.assertEqual(self.page.focused(), "results")
        self.assertEqual("".join(self.page.marked("#stanza-mirror", "chosen")), "<b k='1'>x</b>")
        self.page.press(Keys.ARROW_DOWN)
        self.assertEqual("".join(self.page.marked("#stanza-mirror", "chosen")), "<b k='2'/>")
        self.page.press(Keys.ARROW_DOWN)
        self.assertEqual("".join(self.page.marked("#stanza-mirror", "chosen")), "<b k='2'/>")
        self.page.press(Keys.HOME)
        self.assertEqual("".join(self.page.marked("#stanza-mirror", "chosen")), "<b k='1'>x</b>")
        self.page.press(Keys.TAB)
        self.assertEqual(self.page.focused(), "tree-tab")
        # The choice stays, and with it the place to come back to.
        self.assertEqual("".join(self.page.marked("#stanza-mirror", "chosen")), "<b k='1'>x</b>")

    def test_the_focus_stays_where_an_answer_comes(self):
        self.page.open(script=HOLD)
        self.page.evaluate("a/b@k", NESTED)

        def after(query, script):
            """The focus after the answer to a query. Before, it was on the element that the script finds."""
            self.page.run("window.holds = true")
            self.page.find("#query").click()
            self.page.keys(Keys.CONTROL, "a")
            self.page.command("Input.insertText", text=query)
            self.page.until(lambda: self.page.run("return window.held.length") > 0, "a request")
            self.page.run(f"{script}.focus()")
            self.assertNotEqual(self.page.focused(), "query")
            self.page.run("window.holds = false; while (window.held.length > 0) window.held.pop()()")
            self.page.settle()
            return self.page.focused(), self.page.run("return document.activeElement.dataset.line ?? null")

        self.assertEqual(after("a/b", "document.querySelectorAll('#results .line')[1]"), ("results", "1"))
        self.assertEqual("".join(self.page.marked("#stanza-mirror", "chosen")), "<b k='2'/>")
        self.assertEqual(after("a", "document.querySelectorAll('#results .line')[1]"), ("results", "0"))
        self.assertEqual(after("nothing", "document.querySelectorAll('#results .line')[0]"), ("query", None))
        self.page.evaluate("a/b", NESTED)
        self.assertEqual(after("a/c", "document.querySelectorAll('#tree .line')[1]"), ("tree", "1"))
        self.page.evaluate("a<k=%@><l=%@>", NESTED)
        self.assertEqual(after("a<k=%@>", "document.querySelector('#argument-1')"), ("argument-1", None))
        self.page.evaluate("a<k=%@><l=%@>", NESTED)
        self.assertEqual(after("a<k=%@>", "document.querySelector('#argument-2')"), ("query", None))

    def test_tabs_by_arrows(self):
        self.page.open("#q=a/b@k&s=%3Cr/%3E")
        self.page.run("document.getElementById('tree-tab').focus()")
        for key, tab in ((Keys.ARROW_RIGHT, "listing"), (Keys.ARROW_RIGHT, "tree"), (Keys.ARROW_LEFT, "listing"),
                         (Keys.HOME, "tree"), (Keys.END, "listing")):
            self.page.press(key)
            self.assertEqual(self.page.focused(), f"{tab}-tab")
            self.assertTrue(self.page.find(f"#{tab}-panel").is_displayed())
            self.assertEqual(self.page.attribute(f"#{tab}-tab", "aria-selected"), "true")
        self.assertFalse(self.page.find("#tree-panel").is_displayed())
        self.page.press(Keys.TAB)
        self.assertEqual(self.page.focused(), "listing")
        first = "".join(self.page.marked("#query-mirror", "pointed"))
        self.page.press(Keys.END)
        self.assertNotEqual("".join(self.page.marked("#query-mirror", "pointed")), first)

    def test_enter_does_not_break_a_query(self):
        self.page.open()
        self.page.evaluate("a/b@k", NESTED)
        self.page.press(Keys.ENTER)
        self.page.settle()
        self.assertEqual(self.page.value("#query"), "a/b@k")
        self.assertEqual(self.page.results(), ["1", "2"])
        self.page.find("#stanza").click()
        self.page.keys(Keys.CONTROL, Keys.HOME)
        self.page.press(Keys.ENTER)
        self.assertTrue(self.page.value("#stanza").startswith("\n"))
