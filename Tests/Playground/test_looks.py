"""Light and dark, narrow and wide; the screenshots are kept."""

import pathlib

from browser import PageTest

CONTRAST = (pathlib.Path(__file__).parent / "contrast.js").read_text()
#: WCAG 2, level AA: the contrast of text, and of the lines of controls and marks.
LEAST_OF_TEXT, LEAST_OF_LINES = 4.5, 3.0


class Looks(PageTest):
    #: States that together show every color.
    def states(self):
        self.page.choose("Up again: the contacts with a group")
        self.page.all("#results .line")[1].click()
        yield "a chosen result"
        self.page.all("#tree .line")[1].click()
        yield "a line of the tree"
        self.page.hold_notices()
        self.page.find("#copy").click()
        self.page.until(lambda: self.page.texts("#notice") != [""], "a notice")
        yield "a notice"
        self.page.end_notices()
        self.page.choose("Two mistakes at once")
        yield "mistakes"
        self.page.choose("A runaway regular expression")
        self.page.find("#listing-tab").click()
        yield "a failure"
        self.page.evaluate("a<k=%@>/@k", "<r><a k=''/></r>")
        yield "arguments"
        self.page.evaluate("a<k='1'>/@k", "<r><a k=''/></r>")
        yield "a warning"
        self.page.find("#tree-tab").click()
        self.page.type("#stanza", "<r>")
        yield "a wrong stanza"
        self.page.evaluate("r/a#", "<r><a>x</a></r>")
        yield "a near miss"
        self.page.type("#stanza", "")
        yield "an invitation"

    def test_contrast(self):
        for scheme in ("light", "dark"):
            self.page.media(prefers_color_scheme=scheme)
            self.page.open()
            pages = set()
            for state in self.states():
                with self.subTest(f"{scheme}, {state}"):
                    pages.add(self.page.style("html", "backgroundColor"))
                    found = self.page.run(CONTRAST)
                    self.assertGreaterEqual(len(found["texts"]), 15)
                    self.assertGreaterEqual(len(found["lines"]), 4)
                    self.assertEqual([text for text in found["texts"] if text["contrast"] < LEAST_OF_TEXT], [])
                    self.assertEqual([line for line in found["lines"] if line["contrast"] < LEAST_OF_LINES], [])
            self.assertEqual(len(pages), 1)

    def test_schemes_differ(self):
        backgrounds = []
        for scheme in ("light", "dark"):
            self.page.media(prefers_color_scheme=scheme)
            self.page.open()
            self.page.choose("Up again: the contacts with a group")
            self.page.all("#results .line")[1].click()
            backgrounds.append(self.page.style("html", "backgroundColor"))
            self.page.screenshot(scheme)
        self.assertNotEqual(*backgrounds)

    def test_no_width_needs_scrolling_to_the_side(self):
        self.page.open()
        for title in ("Two arguments", "A conversion that does not exist", "The description of a field"):
            self.page.choose(title)
            for width in (320, 400, 640, 959, 960, 1280, 1680, 2560):
                self.page.size(width, 900)
                with self.subTest(f"{title}, {width} pixels"):
                    self.assertEqual(self.page.run(
                        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"), True)
                    self.assertGreaterEqual(self.page.run("""
                        return Math.min(...['query', 'stanza'].map(
                            (id) => document.getElementById(id).getBoundingClientRect().width))
                    """), 200)

    def test_screenshots(self):
        self.page.open()
        self.page.choose("A conversion that does not exist")
        self.page.screenshot("error")
        self.assertEqual(self.page.marked("#query-mirror", "mistake"), ["integer"])
        self.page.size(400, 1000)
        self.page.choose("Two arguments")
        self.page.screenshot("narrow")
        self.assertEqual(self.page.results(), ["subscribed"])

    def test_screenshots_of_each_size_and_scheme(self):
        log = "".join(f"10:0{minute} RECV <message from='a@b' type='chat'><body>{text}</body></message>\n"
                      for minute, text in enumerate(("Who is there?", "Nay, answer me.", "Long live the king!")))
        for scheme in ("light", "dark"):
            self.page.media(prefers_color_scheme=scheme)
            for width, height in ((1280, 860), (390, 1400)):
                self.page.size(width, height)
                self.page.open()
                self.page.evaluate("/message<type=chat>/body#", log)
                self.assertEqual(len(self.page.results()), 3)
                self.page.screenshot(f"log-{width}-{scheme}")
                self.page.find("#listing-tab").click()
                self.page.type("#query", "message/body#")
                self.assertEqual(len(self.page.texts("#failure .fix")), 1)
                self.page.screenshot(f"miss-{width}-{scheme}")
                self.page.evaluate("", "")
                self.assertEqual(len(self.page.texts("#invitation")), 1)
                self.page.screenshot(f"empty-{width}-{scheme}")

    def test_panes_lie_beside_each_other_where_there_is_room(self):
        self.page.open()
        left = "return ['.query-pane', '.results-pane', '.inspector-pane'].map(" \
               "(pane) => Math.round(document.querySelector(pane).getBoundingClientRect().left))"
        for width, columns in ((400, 1), (1280, 2), (1900, 3)):
            self.page.size(width, 900)
            self.assertEqual(len(set(self.page.run(left))), columns)

    def test_mirrors_lie_under_their_text(self):
        text = "<r>" + "".join(f"\n  <a k='{'long ' * 40}' l='{'x' * 300}'>é😀</a>   \n" for _ in range(30)) + "\n\n</r>\n"
        self.page.open()
        self.page.evaluate("a/" * 80 + "a", text)
        for width in (400, 1280):
            self.page.size(width, 900)
            for name in ("query", "stanza"):
                with self.subTest(f"{name}, {width} pixels"):
                    place = self.page.run(PLACES, name)
                    self.assertEqual(place["area"], place["mirror"])
                    self.assertEqual(place["hidden"], 0)
        # The place of the last line shows whether every line before it wraps alike.
        self.assertEqual(*self.page.run(LAST_LINE))

    def test_nothing_moves_with_reduced_motion(self):
        self.page.open()
        moving = "return document.querySelectorAll('*').values().filter((e) => " \
                 "getComputedStyle(e).transitionDuration !== '0s' || getComputedStyle(e).animationName !== 'none')" \
                 ".toArray().length"
        self.page.media(prefers_reduced_motion="no-preference")
        self.assertGreater(self.page.run(moving), 0)
        self.page.media(prefers_reduced_motion="reduce")
        self.assertEqual(self.page.run(moving), 0)


PLACES = """
    const area = document.getElementById(arguments[0]);
    const mirror = document.getElementById(`${arguments[0]}-mirror`);
    const described = (element) => {
        const style = getComputedStyle(element);
        const { left, top, width, height } = element.getBoundingClientRect();
        return [left, top, width, height, style.font, style.padding, style.letterSpacing, style.tabSize, style.whiteSpace,
                style.overflowWrap, style.wordBreak, style.fontVariantLigatures, style.textAlign].join(' | ');
    };
    return { area: described(area), mirror: described(mirror), hidden: area.scrollHeight - area.clientHeight };
"""

LAST_LINE = """
    const area = document.getElementById('stanza');
    const mirror = document.getElementById('stanza-mirror');
    // A mirror of its own would be as high as the text area needs to be.
    const height = mirror.getBoundingClientRect().height;
    const style = area.style.height;
    area.style.height = '0px';
    area.style.alignSelf = 'start';
    const needed = area.scrollHeight;
    area.style.height = area.style.alignSelf = style;
    return [Math.round(height), needed];
"""
