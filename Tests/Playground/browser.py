"""A browser without a window, a playground server, and its page: the base of every test of the playground.

Nothing here waits for a fixed time: `Page.until` waits for a condition, long enough for a busy machine.
"""

import atexit
import json
import os
import pathlib
import shutil
import subprocess
import time
import unittest
import urllib.parse

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

#: Seconds until a condition counts as one that never comes true.
PATIENCE = 90
#: The command whose playground is tested.
executable = ".build/debug/stanza-live"
#: Where screenshots go.
ARTEFACTS = pathlib.Path(os.environ.get("STANZA_ARTEFACTS", ".build/playground"))
#: Holds requests back until they are let go by number, from 0.
HOLD = """
  window.held = [];
  const original = window.fetch;
  window.fetch = async (address, options) => {
    if (window.holds && address === '/evaluate') await new Promise((release) => window.held.push(release));
    return original(address, options);
  };
"""

_shared = {}


class Server:
    """A playground server of one's own on a port that is free."""

    def __init__(self):
        self.process = subprocess.Popen([executable, "playground", "--port", "0"], stdout=subprocess.PIPE, text=True)
        atexit.register(self.stop)
        self.address = self.process.stdout.readline().strip()
        if not self.address.startswith("http://127.0.0.1:"):
            raise RuntimeError(f"the playground printed {self.address!r} instead of its address")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)
        self.process.stdout.close()


def shared_server():
    if "server" not in _shared:
        _shared["server"] = Server()
    return _shared["server"]


def shared_driver():
    if "driver" not in _shared:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--lang=en"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.chrome.service.Service(shutil.which("chromedriver"))
        driver = webdriver.Chrome(service=service, options=options)
        driver.set_page_load_timeout(PATIENCE)
        driver.set_script_timeout(PATIENCE)
        atexit.register(driver.quit)
        _shared["driver"] = driver
    return _shared["driver"]


class Page:
    """The playground in the browser, as its users see it."""

    def __init__(self, driver, address):
        self.driver = driver
        self.address = address

    # Coming and going

    def open(self, fragment="", script=None):
        """Reopens the page; `script` runs before the page's own script."""
        self.visit(fragment, script)
        self.until(
            lambda: self.run("return document.querySelectorAll('#examples option').length") > 0, "the examples")
        self.settle()

    def visit(self, fragment="", script=None):
        """Like `open`, without a wait for the data that the page loads later."""
        self.driver.get("about:blank")
        added = script and self.command("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
        self.driver.get(self.address + fragment)
        if added:
            self.command("Page.removeScriptToEvaluateOnNewDocument", identifier=added)

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def size(self, width, height):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, **features):
        self.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def answer(self, answer):
        """Answers all evaluations from now on, instead of the server."""
        self.run("const answer = arguments[0]; window.original ??= window.fetch;"
                 "window.fetch = async () => Response.json(answer)", answer)

    def hold_notices(self):
        """Lets notices stand until `end_notices`, however slow the machine is."""
        self.run("""
            const original = window.setTimeout;
            window.ends = [];
            window.setTimeout = (end, time) => time > 2000 ? window.ends.push(end) : original(end, time);
        """)

    def end_notices(self):
        self.run("for (const end of window.ends) end()")

    def forget_answer(self):
        """Lets the server answer again."""
        self.run("window.fetch = window.original")

    def screenshot(self, name):
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        if not self.driver.save_screenshot(str(ARTEFACTS / f"{name}.png")):
            raise OSError(f"no picture {name}.png in {ARTEFACTS}")

    # Waiting

    def until(self, condition, what):
        """Waits until the condition holds, and gives its value."""
        end = time.monotonic() + PATIENCE
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"it never came: {what}")
            time.sleep(0.02)

    def settle(self):
        """Waits for the answer to the last typed text."""
        self.until(
            lambda: self.run("return document.querySelector('.results-pane')?.getAttribute('aria-busy')") == "false",
            "an answer to what was typed")

    # Finding

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility())"
            ".map((e) => e.textContent)", selector)

    def value(self, selector):
        return self.run("return document.querySelector(arguments[0]).value", selector)

    def attribute(self, selector, name):
        return self.run("return document.querySelector(arguments[0]).getAttribute(arguments[1])", selector, name)

    def style(self, selector, name):
        return self.run(
            "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, name)

    # Typing

    def type(self, selector, text):
        """Replaces the text of a field, as the keyboard does."""
        self.find(selector).click()
        self.keys(Keys.CONTROL, "a")
        if text:
            self.command("Input.insertText", text=text)
        else:
            self.press(Keys.DELETE)
        self.settle()

    def evaluate(self, query, stanza):
        self.type("#stanza", stanza)
        self.type("#query", query)

    def press(self, *keys):
        """Presses one key after the other, wherever the focus is."""
        for key in keys:
            webdriver.ActionChains(self.driver).send_keys(key).perform()

    def keys(self, modifier, key):
        webdriver.ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def choose(self, title):
        """Chooses an example."""
        Select(self.find("#examples")).select_by_visible_text(title)
        self.settle()

    # Reading

    def results(self):
        return self.texts("#results .line .text")

    def messages(self):
        return self.texts("#query-mistakes .message")

    def marked(self, mirror, mark):
        """The parts of a text that carry a mark."""
        return self.texts(f"{mirror} .{mark}")

    def focused(self):
        """The id of the element with the focus, or the id of its list."""
        return self.run(
            "const e = document.activeElement; return e === document.body ? null : e.id || e.parentElement.id")

    def fragment(self):
        """The parameters of the address."""
        return urllib.parse.parse_qs(urllib.parse.urlsplit(self.driver.current_url).fragment, keep_blank_values=True)

    # Failures

    def complaints(self):
        """The messages of the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requested(self):
        """The addresses that pages asked for since the log was read last."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [
            message["params"]["request"]["url"] for message in messages
            if message["method"] == "Network.requestWillBeSent"]


class PageTest(unittest.TestCase):
    """A test that opens the page, and ends with a look at the console and at where requests went."""

    #: Whether the console may complain: of a server that the test stops.
    mayComplain = False

    def setUp(self):
        self.page = Page(shared_driver(), shared_server().address)
        self.page.size(1280, 860)
        self.page.media()
        self.page.complaints()
        self.page.requested()
        self.addCleanup(self.look_around)

    def look_around(self):
        complaints = self.page.complaints()
        if not self.mayComplain:
            self.assertEqual(complaints, [])
        allowed = (self.page.address, "about:blank")
        self.assertEqual([address for address in self.page.requested() if not address.startswith(allowed)], [])

    def run(self, result=None):
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before and "driver" in _shared:
            self.page.screenshot(f"failed-{self.id().split('.')[-1]}")
        return result
