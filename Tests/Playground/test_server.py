"""A server that goes away."""

from browser import Keys, Page, PageTest, Server, shared_driver
from stanzas import NOTHING


class GoneServer(PageTest):
    mayComplain = True

    def test_a_missing_server_is_reported_and_typed_text_stays(self):
        server = Server()
        self.page = Page(shared_driver(), server.address)
        self.page.open()
        self.page.evaluate("/@k", "<r k='1'/>")
        self.assertEqual(self.page.texts("#outage p"), [])
        server.stop()
        self.page.type("#query", "/@l")
        self.assertEqual(len(self.page.texts("#outage p")), 1)
        self.assertIn("does not answer", self.page.texts("#outage p")[0])
        self.assertEqual(self.page.attribute("#outage", "role"), "alert")
        self.assertEqual(self.page.value("#query"), "/@l")
        # An older answer is not taken for one to this.
        self.assertEqual(self.page.results(), [])
        self.assertEqual(self.page.texts("#results-summary"), ["No answer"])
        self.assertEqual(self.page.marked("#stanza-mirror", "mark-matched"), [])
        self.page.find("#again").click()
        self.page.settle()
        self.assertEqual(len(self.page.texts("#outage p")), 1)
        # The user can press it again, until it is not needed any more.
        self.assertEqual(self.page.focused(), "again")
        self.page.answer(NOTHING)
        self.page.press(Keys.ENTER)
        self.page.settle()
        self.assertEqual(self.page.texts("#outage p"), [])
        self.assertEqual(self.page.focused(), "query")
        self.page.forget_answer()
        self.page.type("#query", "/@m")
        self.assertEqual(len(self.page.texts("#outage p")), 1)
        self.page.screenshot("gone")

    def test_more_text_than_the_server_takes_is_reported(self):
        self.page.open()
        self.page.evaluate("/@k", "<r k='1'/>")
        self.page.run("""
            const area = document.getElementById('stanza');
            area.value = '<r>' + 'x'.repeat(1200000) + '</r>';
            area.dispatchEvent(new InputEvent('input', { bubbles: true }));
        """)
        self.page.settle()
        self.assertEqual(len(self.page.texts("#outage p")), 1)
        self.page.type("#stanza", "<r k='2'/>")
        self.assertEqual(self.page.texts("#outage p"), [])
        self.assertEqual(self.page.results(), ["2"])

    def test_a_busy_server_is_asked_again(self):
        self.page.open(script="""
            const original = window.fetch;
            window.refusals = 0;
            window.fetch = async (address, options) => {
                if (address !== '/evaluate' || window.refusals === 0) return original(address, options);
                window.refusals -= 1;
                return new Response('{"error": "busy"}', { status: 503 });
            };
        """)
        self.page.evaluate("/@k", "<r k='1'/>")
        self.page.run("window.refusals = 2")
        self.page.type("#stanza", "<r k='2'/>")
        self.assertEqual(self.page.run("return window.refusals"), 0)
        self.assertEqual(self.page.texts("#outage p"), [])
        self.assertEqual(self.page.results(), ["2"])
