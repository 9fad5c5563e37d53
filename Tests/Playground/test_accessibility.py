"""The data for screen readers: roles, names, states and live regions, from the browser's own accessibility tree."""

from browser import PageTest
from stanzas import MESSAGE, NESTED

#: Roles of controls.
ACTIVE = {"button", "textbox", "combobox", "checkbox", "option", "treeitem", "tab", "link", "listbox", "tree"}


class AccessibilityTree(PageTest):
    def nodes(self):
        tree = self.page.command("Accessibility.getFullAXTree")["nodes"]
        return [Node(node) for node in tree if not node.get("ignored")]

    def node(self, role, name):
        found = [node for node in self.nodes() if node.role == role and node.name == name]
        self.assertEqual(len(found), 1, f"{role} {name!r} among {[(n.role, n.name) for n in self.nodes()]}")
        return found[0]

    def test_landmarks_and_headings(self):
        self.page.open()
        nodes = self.nodes()
        roles = [node.role for node in nodes]
        self.assertEqual(roles.count("main"), 1)
        self.assertEqual(roles.count("banner"), 1)
        regions = [node.name for node in nodes if node.role == "region"]
        self.assertEqual(regions, ["Query", "Stanza", "Results", "The compiled query"])
        headings = [(node.state("level"), node.name) for node in nodes if node.role == "heading"]
        self.assertEqual(
            headings,
            [(1, "Stanza playground"), (2, "Query"), (2, "Stanza"), (2, "Results"), (2, "The compiled query")])

    def test_everything_one_can_use_has_a_name(self):
        self.page.open()
        for query in ("a/b<k=%@>@k|int", "a/b@k|integer"):
            self.page.evaluate(query, NESTED)
            nodes = [node for node in self.nodes() if node.role in ACTIVE]
            self.assertGreaterEqual(len(nodes), 10)
            self.assertEqual([node.role for node in nodes if not node.name], [])

    def test_names_and_roles(self):
        self.page.open()
        self.page.evaluate("a/b<k=%@>@k", NESTED)
        self.page.type("#argument-1", "1")
        for name in ("Query", "Stanza"):
            self.assertTrue(self.node("textbox", name).state("multiline"))
        self.node("textbox", "Argument 1")
        self.node("combobox", "Example")
        self.node("button", "Copy link")
        self.node("checkbox", "Filters ignore case")
        self.node("checkbox", "Strict conversions")
        self.node("listbox", "Results")
        self.node("option", "string 1")
        self.node("tree", "Syntax tree")
        self.assertTrue(self.node("tab", "Syntax tree").state("selected"))
        self.assertFalse(self.node("tab", "Bytecode").state("selected"))
        levels = [node.state("level") for node in self.nodes() if node.role == "treeitem"]
        self.assertEqual(levels[0], 1)
        self.assertGreater(max(levels), 1)

    def test_mistakes_are_states_and_descriptions(self):
        self.page.open()
        self.page.evaluate("body@id|integer", MESSAGE)
        query = self.node("textbox", "Query")
        self.assertEqual(query.state("invalid"), "true")
        self.assertIn("unknown conversion 'integer'", query.description)
        self.assertEqual(self.node("textbox", "Stanza").state("invalid"), "false")
        self.node("button", "Use |int")
        # The drawing is for eyes.
        self.assertFalse(any("^~" in node.name for node in self.nodes()))
        self.page.type("#query", "body@id|int")
        query = self.node("textbox", "Query")
        self.assertEqual(query.state("invalid"), "false")
        self.assertEqual(query.description, "")

    def test_mirrors_are_not_read(self):
        self.page.open()
        self.page.evaluate("body#", "<message><body>only once</body></message>")
        texts = [node.name for node in self.nodes() if node.role == "StaticText" and "<body>" in node.name]
        self.assertEqual(len(texts), 1, texts)

    def test_what_came_of_it_is_announced(self):
        self.page.open()
        announcement = [node for node in self.nodes() if node.role == "status" and node.state("live") == "polite"]
        self.assertGreaterEqual(len(announcement), 1)

        def says(text):
            self.page.until(lambda: text in self.page.run(
                "return document.getElementById('announcement').textContent"), f"the announcement of {text!r}")

        self.page.evaluate("body#", MESSAGE)
        says("1 result. The first: string Art thou not Romeo?")
        self.page.type("#query", "body#|integer")
        says("1 mistake in the query: unknown conversion 'integer'")
        self.page.type("#query", "nothing")
        says("No results")
        self.page.type("#stanza", "<a>")
        says("The stanza cannot be read")


class Node:
    def __init__(self, node):
        self.role = node.get("role", {}).get("value", "")
        self.name = node.get("name", {}).get("value", "")
        self.description = node.get("description", {}).get("value", "")
        self._states = {state["name"]: state["value"].get("value") for state in node.get("properties", [])}

    def state(self, name):
        return self._states.get(name)
