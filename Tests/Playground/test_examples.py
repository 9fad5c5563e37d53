"""The examples, each in the page."""

from browser import PageTest


class Examples(PageTest):
    def test_every_example_is_answered(self):
        self.page.open()
        examples = self.page.run("""
            return [...document.querySelectorAll('#examples optgroup')].flatMap(
                (group) => [...group.children].map((option) => [group.label, option.textContent]))
        """)
        self.assertGreaterEqual(len(examples), 20)
        self.assertEqual(len({title for _, title in examples}), len(examples))
        for group, title in examples:
            with self.subTest(title):
                self.page.choose(title)
                self.assertEqual(self.page.texts("#outage p"), [])
                self.assertEqual(self.page.texts("#stanza-mistakes .message"), [])
                mistakes = self.page.messages() + self.page.texts("#failure .message")
                if group == "Mistakes":
                    self.assertGreaterEqual(len(mistakes), 1)
                else:
                    self.assertEqual(mistakes, [])
                    self.assertEqual(len(self.page.texts("#results-summary")), 1)
                    self.assertGreaterEqual(len(self.page.texts("#tree .line")), 1)
                    self.assertGreaterEqual(
                        sum(int(*self.page.texts(f"#{mark}-count")) for mark in ("matched", "visited", "rejected")), 1)

    def test_the_page_begins_with_an_example(self):
        self.page.open()
        self.assertEqual(self.page.value("#examples"), "0")
        # Its link is known again.
        self.page.open(self.page.driver.current_url.removeprefix(self.page.address))
        self.assertEqual(self.page.value("#examples"), "0")
        self.assertGreaterEqual(len(self.page.results()), 1)

    def test_what_was_typed_comes_back(self):
        self.page.open()
        self.page.evaluate("/@k", "<r k='mine'/>")
        self.assertEqual(self.page.value("#examples"), "")
        self.page.choose("Two arguments")
        self.assertEqual(self.page.texts(".argument label"), ["Argument 1", "Argument 2"])
        self.page.choose("All attributes")
        self.assertEqual(self.page.value("#query"), "/@@")
        self.page.choose("Your own")
        self.assertEqual(self.page.results(), ["mine"])

    def test_an_example_brings_its_options(self):
        self.page.open()
        checked = "return ['ignore-case', 'strict'].map((id) => document.getElementById(id).checked)"
        self.page.choose("Ignoring case")
        self.assertEqual(self.page.run(checked), [True, False])
        self.page.choose("Strictly: nothing but numbers")
        self.assertEqual(self.page.run(checked), [False, True])
        self.page.choose("All attributes")
        self.assertEqual(self.page.run(checked), [False, False])
