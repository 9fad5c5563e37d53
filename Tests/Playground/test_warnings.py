"""Queries that are legal and probably wrong."""

from browser import PageTest
from stanzas import MESSAGE


class Warnings(PageTest):
    def test_a_warning_is_shown_and_the_query_is_right(self):
        self.page.open()
        self.page.evaluate("/<id='m1'>@id", MESSAGE)
        self.assertEqual(self.page.results(), [])
        self.assertEqual(len(self.page.texts("#query-mistakes li.warning")), 1)
        self.assertEqual(self.page.marked("#query-mirror", "warning"), ["<id='m1'>"])
        self.assertEqual(self.page.attribute("#query", "aria-invalid"), "false")
        self.page.evaluate("/<id=m1>@id", MESSAGE)
        self.assertEqual(self.page.texts("#query-mistakes li"), [])
