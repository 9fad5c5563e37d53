"""Typing, and its effects."""

from selenium.webdriver import ActionChains

from browser import HOLD, Keys, PageTest
from stanzas import MESSAGE, NESTED, NOTHING

#: As an evaluation that is given up is answered.
UNFINISHED = NOTHING | {"failure": "the evaluation takes more than 10 seconds"}


class Results(PageTest):
    def test_results_follow_typing(self):
        self.page.open()
        self.page.evaluate("body#", MESSAGE)
        self.assertEqual(self.page.results(), ["Art thou not Romeo?"])
        self.assertEqual(self.page.texts("#results .kind"), ["string"])
        self.assertEqual(self.page.texts("#results-summary"), ["1 result · string"])
        self.page.press("|", "i", "n", "t")
        self.page.settle()
        self.assertEqual(self.page.texts("#results .line"), ["int 0"])

    def test_elements_are_shown_as_XML(self):
        self.page.open()
        self.page.evaluate("a", "<r><a k='1'>x</a><b/><a/></r>")
        self.assertEqual(len(self.page.results()), 2)
        self.assertTrue(self.page.results()[0].startswith("<a"))
        self.assertEqual(self.page.texts("#results .kind"), ["element", "element"])

    def test_no_results_are_said(self):
        self.page.open()
        self.page.evaluate("nothing", MESSAGE)
        self.assertEqual(self.page.results(), [])
        self.assertEqual(self.page.texts("#results-summary"), ["No results"])

    def test_a_near_miss_is_repaired(self):
        self.page.open()
        self.page.evaluate("message/body#", MESSAGE)
        self.assertEqual(self.page.texts("#failure p"), ["`message` is the stanza itself"])
        self.page.find("#failure .fix").click()
        self.page.settle()
        self.assertEqual(self.page.value("#query"), "/message/body#")
        self.assertEqual(self.page.results(), ["Art thou not Romeo?"])
        self.assertEqual(self.page.texts("#failure *"), [])

    def test_several_stanzas_and_logs(self):
        self.page.open()
        self.page.evaluate("body#", MESSAGE + "\n<message><body>Neither</body></message>")
        self.assertEqual(self.page.results(), ["Art thou not Romeo?", "Neither"])
        self.assertEqual(self.page.marked("#stanza-mirror", "mark-matched"), ["<body>", "<body>"])
        self.page.all("#results .line")[1].click()
        self.assertEqual("".join(self.page.marked("#stanza-mirror", "chosen")), "<body>Neither</body>")
        self.page.type("#stanza", f"10:00 RECV {MESSAGE}\n10:01 😀 SENT <presence/> bye")
        self.assertEqual(self.page.results(), ["Art thou not Romeo?"])
        self.page.type("#query", "/presence")
        self.assertEqual(self.page.marked("#stanza-mirror", "mark-matched"), ["<presence/>"])
        self.page.type("#stanza", "<presence/><iq></a>")
        self.assertEqual(len(self.page.results()), 1)
        self.assertEqual(len(self.page.texts("#stanza-mistakes .message")), 1)

    def test_without_stanzas_the_page_invites(self):
        self.page.open()
        self.page.evaluate("body#", " ")
        self.assertEqual(self.page.texts("#stanza-mistakes .message"), [])
        self.assertEqual(self.page.texts("#results-summary"), [""])
        self.page.find("#first-example").click()
        self.page.settle()
        self.assertEqual(self.page.texts("#invitation"), [])
        self.assertEqual(self.page.value("#examples"), "0")

    def test_letters_have_colors(self):
        self.page.open()
        self.page.evaluate("{u}a<k=v>@b|int", "log <a k='v'>it's 'x'</a>")
        self.assertEqual(self.page.texts(".query-pane .letters span"), ["{u}", "k", "v", "@b", "|int"])
        self.assertEqual(self.page.texts(".stanza-pane .letters span"), ["<a", "k", "'v'", ">", "</a", ">"])
        self.page.find("#query").click()
        self.page.press(Keys.END, "!")
        self.assertEqual(self.page.texts(".query-pane .letters span")[-1], "|int!")
        self.page.evaluate("\\form@x\\|int", "<a " + "k='' " * 30_000)
        self.assertEqual(self.page.texts(".query-pane .letters span"), ["\\form@x\\", "|int"])
        self.assertEqual(self.page.texts(".stanza-pane .letters span"), [])

    def test_a_query_is_copied_as_source_code(self):
        self.page.open(script="navigator.clipboard.writeText = async (text) => { window.copied = text; };")
        self.page.evaluate('/<k=%@><n=%d>#', "<r k='a\"b' n='7'/>")
        self.page.type("#argument-1", 'a"b')
        self.page.type("#argument-2", "7")
        self.page.find("#strict").click()
        for button, code in (
            ("swift", 'let results = try stanza.find(Query("/<k=%@><n=%d>#", options: [.strictConversions]), "a\\"b", 7)'),
            ("objective-c", 'NSArray* results = [stanza find:@"/<k=%@><n=%d>#", @"a\\"b", 7];'),
            ("lua", 'local result = stanza:find(("/<k=%s><n=%d>#"):format("a\\"b", 7))')):
            self.page.find(f"#copy-{button}").click()
            self.assertEqual(self.page.until(lambda: self.page.run("return window.copied"), "a copy"), code)
            self.page.run("window.copied = undefined")
        self.page.type("#query", "body#")
        self.page.find("#strict").click()
        self.page.find("#copy-swift").click()
        self.page.until(lambda: self.page.run("return window.copied"), "a copy")
        self.assertEqual(self.page.run("return window.copied"), 'let results = try stanza.find("body#")')

    def test_an_empty_result_can_be_seen(self):
        self.page.open()
        self.page.evaluate("/@k", "<r k=''/>")
        self.assertEqual(self.page.results(), ["(empty)"])

    def test_the_newest_answer_wins(self):
        self.page.open(script=HOLD)
        self.page.evaluate("body#", MESSAGE)
        self.page.run("window.holds = true")
        self.page.find("#query").click()
        self.page.keys(Keys.CONTROL, "a")
        self.page.command("Input.insertText", text="nothing#")
        self.page.until(lambda: self.page.run("return window.held.length") == 1, "the first request")
        self.page.keys(Keys.CONTROL, "a")
        self.page.command("Input.insertText", text="/@id")
        self.page.until(lambda: self.page.run("return window.held.length") == 2, "the second request")
        self.page.run("window.held[1]()")
        self.page.settle()
        self.assertEqual(self.page.results(), ["m1"])
        self.page.run("window.held[0](); window.holds = false")
        # A third request follows the late answer to the first one.
        self.page.find("#ignore-case").click()
        self.page.settle()
        self.assertEqual(self.page.results(), ["m1"])

    def test_options_are_sent(self):
        self.page.open()
        self.page.evaluate("/<id=M1>@id", MESSAGE)
        self.assertEqual(self.page.results(), [])
        self.page.find("#ignore-case").click()
        self.page.settle()
        self.assertEqual(self.page.results(), ["m1"])
        self.page.evaluate("a#|int", "<r><a>17</a><a>17 apples</a></r>")
        self.assertEqual(self.page.results(), ["17", "17"])
        self.page.find("#strict").click()
        self.page.settle()
        self.assertEqual(self.page.results(), ["17"])

    def test_a_runaway_regular_expression_is_reported(self):
        self.page.open()
        self.page.evaluate("a<k~^(a+)+$>", f"<r><a k='{'a' * 40}b'/></r>")
        self.assertEqual(len(self.page.texts("#failure .message")), 1)
        self.assertEqual(self.page.results(), [])
        # The page reports it once, and the query is correct.
        self.assertEqual(self.page.messages(), [])
        self.assertEqual(self.page.attribute("#query", "aria-invalid"), "false")

    def test_many_results_are_cut_with_a_notice(self):
        self.page.open()
        self.page.evaluate("a", f"<r>{'<a/>' * 1500}</r>")
        self.assertEqual(len(self.page.results()), 1000)
        self.assertEqual(len(self.page.texts("#cut")), 1)
        self.assertEqual(self.page.texts("#results-summary"), ["at least 1,000 results · element"])
        self.page.evaluate("a", "<r><a/></r>")
        self.assertEqual(self.page.texts("#cut"), [])
        self.assertEqual(self.page.texts("#results-summary"), ["1 result · element"])

    def test_omitted_marks_and_lines_are_reported(self):
        self.page.open()
        self.page.evaluate("/@k", "<r k='1'/>")
        self.assertEqual(self.page.texts("#shortened"), [])
        self.page.answer(NOTHING | {"isShortened": True})
        self.page.type("#query", "/@l")
        self.assertEqual(len(self.page.texts("#shortened")), 1)


class Beginning(PageTest):
    #: Holds the examples back until they are let go.
    HOLD_EXAMPLES = """
      const original = window.fetch;
      window.fetch = async (address, options) => {
        if (address === '/examples.json') await new Promise((release) => { window.bringExamples = release; });
        return original(address, options);
      };
    """

    def bring_examples(self):
        self.page.run("window.bringExamples()")
        self.page.until(lambda: len(self.page.all("#examples option")) > 0, "the examples")
        self.page.settle()

    def visit(self, fragment=""):
        self.page.visit(fragment, script=self.HOLD_EXAMPLES)
        self.page.until(lambda: self.page.run("return window.bringExamples !== undefined"), "the page's request")

    def test_what_is_typed_before_the_examples_are_there_stays(self):
        self.visit()
        self.page.evaluate("/@k", "<r k='early'/>")
        self.assertEqual(self.page.results(), ["early"])
        self.bring_examples()
        self.assertEqual(self.page.value("#query"), "/@k")
        self.assertEqual(self.page.results(), ["early"])
        self.assertEqual(self.page.value("#examples"), "")

    def test_a_link_does_not_wait_for_the_examples(self):
        self.visit("#q=/@k&s=%3Cr%20k='linked'/%3E")
        self.page.settle()
        self.assertEqual(self.page.results(), ["linked"])
        self.page.type("#query", "/@k|int")
        self.bring_examples()
        self.assertEqual(self.page.value("#query"), "/@k|int")


class Mistakes(PageTest):
    def test_a_mistake_is_underlined_reported_and_repaired(self):
        self.page.open()
        self.page.evaluate("body@id|integer", MESSAGE)
        self.assertEqual(self.page.marked("#query-mirror", "mistake"), ["integer"])
        self.assertIn("wavy", self.page.style("#query-mirror .mistake", "textDecorationStyle"))
        self.assertEqual(len(self.page.messages()), 1)
        self.assertIn("unknown conversion 'integer'", self.page.messages()[0])
        self.assertEqual(
            self.page.texts("#query-mistakes pre"), ["body@id|integer\n        ^~~~~~~"])
        self.assertIn("uuidcast", self.page.texts("#query-mistakes .expected")[0])
        self.assertEqual(self.page.attribute("#query", "aria-invalid"), "true")
        self.assertEqual(self.page.texts("#results-summary"), ["The query has mistakes."])

        button = self.page.find("#query-mistakes .fix")
        self.assertEqual(button.text, "Use |int")
        button.click()
        self.page.settle()
        self.assertEqual(self.page.value("#query"), "body@id|int")
        self.assertEqual(self.page.attribute("#query", "aria-invalid"), "false")
        self.assertEqual(self.page.messages(), [])
        self.assertEqual(self.page.marked("#query-mirror", "mistake"), [])
        self.assertEqual(self.page.focused(), "query")
        # The repair can be undone like anything that is typed.
        self.page.keys(Keys.CONTROL, "z")
        self.page.settle()
        self.assertEqual(self.page.value("#query"), "body@id|integer")

    def test_all_mistakes_are_reported(self):
        self.page.open()
        self.page.evaluate("a//b<k~(>", MESSAGE)
        self.assertEqual(len(self.page.messages()), 2)
        self.assertEqual(self.page.marked("#query-mirror", "mistake"), ["/", "("])

    def test_missing_text_is_marked_at_its_place(self):
        self.page.open()
        self.page.evaluate("body@", MESSAGE)
        self.assertEqual(self.page.run("return document.querySelectorAll('#query-mirror .mistake.nothing').length"), 1)
        self.assertEqual(self.page.texts("#query-mistakes pre"), ["body@\n     ^"])

    def test_the_place_of_a_mistake_after_characters_of_two_units(self):
        self.page.open()
        self.page.evaluate("{😀ß}a@b|foo", MESSAGE)
        self.assertEqual(self.page.marked("#query-mirror", "mistake"), ["foo"])
        self.assertEqual(self.page.texts("#query-mistakes pre"), ["{😀ß}a@b|foo\n        ^~~"])

    def test_drawings_cut_no_characters(self):
        self.page.open()
        before = f"😀{'a' * 26}}}a@b|"
        self.page.evaluate("{x" + before + "foo", MESSAGE)
        self.assertEqual(self.page.texts("#query-mistakes pre"), [f"…{before}foo\n{' ' * 33}^~~"])

    def test_characters_that_reverse_text_are_drawn_as_blanks(self):
        self.page.open()
        self.page.evaluate("{\u202e\u200b}a@b|foo", MESSAGE)
        self.assertEqual(self.page.texts("#query-mistakes pre"), ["{  }a@b|foo\n        ^~~"])

    def test_an_unreadable_stanza_is_reported(self):
        self.page.open()
        self.page.evaluate("body#", "<message>\n<body>x</message>")
        self.assertEqual(self.page.attribute("#stanza", "aria-invalid"), "true")
        self.assertEqual(self.page.attribute("#query", "aria-invalid"), "false")
        self.assertGreaterEqual(len(self.page.texts("#stanza-mistakes .message")), 1)
        self.assertGreaterEqual(len(self.page.marked("#stanza-mirror", "mistake")), 1)
        self.assertIn("wavy", self.page.style("#stanza-mirror .mistake", "textDecorationStyle"))
        self.assertEqual(self.page.results(), [])
        self.page.type("#stanza", MESSAGE)
        self.assertEqual(self.page.attribute("#stanza", "aria-invalid"), "false")
        self.assertEqual(self.page.texts("#stanza-mistakes .message"), [])
        self.assertEqual(self.page.results(), ["Art thou not Romeo?"])

    def test_marks_move_with_typed_text_until_the_answer_comes(self):
        self.page.open(script=HOLD)
        self.page.evaluate("body@id|integer", MESSAGE)
        self.page.run("window.holds = true")
        self.page.press(Keys.HOME, "x", "y")
        self.assertEqual(self.page.value("#query"), "xybody@id|integer")
        self.assertEqual(self.page.marked("#query-mirror", "mistake"), ["integer"])
        self.page.until(lambda: self.page.run("return window.held.length") >= 1, "a request")
        self.page.run("window.holds = false; for (const release of window.held) release()")
        self.page.settle()
        self.assertEqual(self.page.marked("#query-mirror", "mistake"), ["integer"])

    def test_an_answer_to_an_older_text_is_not_shown(self):
        self.page.open(script=HOLD)
        self.page.evaluate("body@id|integer", MESSAGE)
        self.page.run("window.holds = true")
        self.page.press(Keys.HOME, "x")
        self.page.until(lambda: self.page.run("return window.held.length") == 1, "the first request")
        # The answer comes in the pause after the next key, before another request.
        states = self.page.driver.execute_async_script("""
            const done = arguments[0];
            const area = document.getElementById('query');
            const states = [];
            const note = () => states.push([
                document.querySelector('.results-pane').getAttribute('aria-busy'), area.value,
                document.querySelector('#query-mirror .mistake').textContent]);
            const fetched = new MutationObserver(note);
            fetched.observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true });
            document.execCommand('insertText', false, 'y');
            window.held[0]();
            const wait = () => window.held.length > 1 ? done(states) : setTimeout(wait, 5);
            wait();
        """)
        self.assertGreater(len(states), 0)
        self.assertEqual(
            [state for state in states if state != ["true", "xybody@id|integer", "integer"]], [])
        self.page.run("window.holds = false; window.held[1]()")
        self.page.settle()
        self.assertEqual(self.page.marked("#query-mirror", "mistake"), ["integer"])


class Marks(PageTest):
    def test_elements_are_marked_by_their_outcome(self):
        self.page.open()
        self.page.evaluate("a/b<k=1>", NESTED)
        self.assertEqual(self.page.marked("#stanza-mirror", "mark-matched"), ["<b k='1'>"])
        self.assertEqual(self.page.marked("#stanza-mirror", "mark-visited"), ["<r>", "<a>"])
        self.assertEqual(self.page.marked("#stanza-mirror", "mark-rejected"), ["<b k='2'/>", "<c/>"])
        self.assertEqual(
            [self.page.texts(f"#{mark}-count") for mark in ("matched", "visited", "rejected")], [["1"], ["2"], ["2"]])
        styles = {self.page.style(f"#stanza-mirror .mark-{mark}", "textDecorationStyle")
                  for mark in ("matched", "visited", "rejected")}
        self.assertEqual(len(styles), 3)

    def test_marks_after_characters_of_two_units(self):
        self.page.open()
        self.page.evaluate("b", "<r><a>😀😀é</a>\n<b>ß</b></r>")
        self.assertEqual(self.page.marked("#stanza-mirror", "mark-matched"), ["<b>"])

    def test_a_result_selects_its_element(self):
        self.page.open()
        self.page.evaluate("a/b@k", NESTED)
        self.assertEqual(self.page.results(), ["1", "2"])
        for index, element in ((1, "<b k='2'/>"), (0, "<b k='1'>x</b>")):
            self.page.all("#results .line")[index].click()
            self.assertEqual("".join(self.page.marked("#stanza-mirror", "chosen")), element)
            self.assertEqual(self.page.run(
                "const e = document.getElementById('stanza'); return e.value.slice(e.selectionStart, e.selectionEnd)"),
                element)
            self.assertEqual(
                [line.get_attribute("aria-selected") for line in self.page.all("#results .line")],
                ["true" if index == other else "false" for other in range(2)])
        self.page.type("#query", "a")
        self.assertEqual(self.page.marked("#stanza-mirror", "chosen"), [])

    def test_lines_of_an_older_answer_point_at_nothing(self):
        self.page.open(script=HOLD)
        self.page.evaluate("a/b@k", NESTED)
        self.page.run("window.holds = true")
        self.page.find("#stanza").click()
        self.page.keys(Keys.CONTROL, Keys.HOME)
        self.page.press(" ")
        self.page.all("#results .line")[1].click()
        self.assertEqual(self.page.marked("#stanza-mirror", "chosen"), [])
        self.assertEqual(self.page.run("return document.getElementById('stanza').selectionEnd"), 1)
        self.page.find("#query").click()
        self.page.press(Keys.HOME, " ")
        self.page.all("#tree .line")[1].click()
        self.assertEqual(self.page.marked("#query-mirror", "pointed"), [])
        self.page.until(lambda: self.page.run("return window.held.length") > 0, "a request")
        self.page.run("window.holds = false; while (window.held.length > 0) window.held.pop()()")

    def test_a_chosen_element_is_scrolled_to(self):
        self.page.open()
        self.page.evaluate("b", "<r>" + "\n<a/>" * 300 + "<b/></r>")
        self.page.all("#results .line")[0].click()
        self.assertTrue(self.page.run("""
            const place = document.querySelector('#stanza-mirror .chosen').getBoundingClientRect();
            const view = document.querySelector('.stanza-pane .editor').getBoundingClientRect();
            return place.top >= view.top && place.bottom <= view.bottom;
        """))


class Inspector(PageTest):
    def test_lines_of_the_tree_show_their_part_of_the_query(self):
        self.page.open()
        self.page.evaluate("a/b<k=1>@k|int", NESTED)
        lines = self.page.all("#tree .line")
        self.assertGreaterEqual(len(lines), 4)
        parts = []
        for line in lines:
            line.click()
            parts.append("".join(self.page.marked("#query-mirror", "pointed")))
        self.assertTrue(any(part == "a" for part in parts), parts)
        self.assertTrue(any("k=1" in part for part in parts), parts)
        self.page.find("#query").click()
        self.assertEqual(self.page.marked("#query-mirror", "pointed"), [])

    def test_lines_that_the_mouse_is_over_show_their_part(self):
        self.page.open()
        self.page.evaluate("a/b", NESTED)

        def part():
            return "".join(self.page.marked("#query-mirror", "pointed"))

        for line in self.page.all("#tree .line"):
            ActionChains(self.page.driver).move_to_element(line).perform()
            if part() == "a":
                break
        self.assertEqual(part(), "a")
        ActionChains(self.page.driver).move_to_element(self.page.find("h1")).perform()
        self.assertEqual(part(), "")

    def test_bytecode(self):
        self.page.open()
        self.page.evaluate("a/b@k", NESTED)
        self.page.find("#listing-tab").click()
        self.assertFalse(self.page.find("#tree").is_displayed())
        lines = self.page.all("#listing .line")
        self.assertGreaterEqual(len(lines), 3)
        self.assertTrue(any("yield" in line.text for line in lines))
        # The purpose is not cut.
        for width in (390, 1280):
            self.page.size(width, 860)
            self.assertTrue(self.page.run("const e = document.getElementById('listing'); return e.scrollWidth <= e.clientWidth"))
            self.assertEqual(self.page.run("return document.querySelectorAll('#listing .line:first-child span').length"), 2)
        parts = []
        for line in lines:
            line.click()
            parts.append("".join(self.page.marked("#query-mirror", "pointed")))
        self.assertIn("a", parts)
        self.assertIn("b", parts)

    def test_a_wrong_query_has_a_tree_and_no_bytecode(self):
        self.page.open()
        self.page.evaluate("a//b", NESTED)
        self.assertGreaterEqual(len(self.page.texts("#tree .line")), 1)
        self.page.find("#listing-tab").click()
        self.assertEqual(self.page.texts("#listing .line"), [])
        self.assertEqual(len(self.page.texts("#no-listing")), 1)

    def test_a_query_that_takes_too_long_has_no_mistakes(self):
        self.page.open()
        self.page.find("#listing-tab").click()
        self.page.answer(UNFINISHED)
        self.page.type("#query", "a/b")
        self.assertEqual(self.page.texts("#failure .message"), [UNFINISHED["failure"]])
        self.assertEqual(self.page.texts("#listing .line"), [])
        self.assertEqual(self.page.texts("#no-listing"), [])
        self.assertEqual(self.page.attribute("#query", "aria-invalid"), "false")


class Arguments(PageTest):
    STANZA = "<r><a k='x' n='5'/><a k='>]' n='7'/></r>"

    def test_inputs_come_and_go_with_specifiers(self):
        self.page.open()
        self.page.evaluate("a", self.STANZA)
        self.assertEqual(self.page.texts(".argument label"), [])
        self.page.type("#query", "a<k=%@><n=%d>@n")
        self.assertEqual(self.page.texts(".argument label"), ["Argument 1", "Argument 2"])
        # The empty text is not a number.
        self.assertEqual(self.page.attribute("#query", "aria-invalid"), "true")
        self.assertEqual(self.page.marked("#query-mirror", "mistake"), ["%d"])
        self.page.type("#argument-1", ">]")
        self.page.type("#argument-2", "7")
        self.assertEqual(self.page.attribute("#query", "aria-invalid"), "false")
        self.assertEqual(self.page.results(), ["7"])
        self.page.type("#query", "a@n")
        self.assertEqual(self.page.texts(".argument label"), [])
        self.assertEqual(self.page.results(), ["5", "7"])
        # The typed text returns with the argument.
        self.page.type("#query", "a<k=%@>@n")
        self.assertEqual(self.page.value("#argument-1"), ">]")
        self.assertEqual(self.page.results(), ["7"])
