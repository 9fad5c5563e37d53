# poezio's plugin, and as a program the terminal for it.
import os, pathlib, pty, shutil, tempfile
from poezio.plugin import BasePlugin

class Plugin(BasePlugin):
    def init(self):
        self.api.add_slix_event_handler("message", self.answer)

    def answer(self, message):
        words = message["body"].split(" ")
        if message["type"] != "error" and words[0] in ("ping", "send"):
            for body in [message["body"]] if words[0] == "ping" else range(int(words[1]), int(words[2]) + 1):
                self.core.xmpp.send_message(message["from"], str(body), mtype="chat")

if __name__ == "__main__":
    home = pathlib.Path(tempfile.mkdtemp())
    os.environ |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home), "TERM": "xterm"}
    shutil.copy(__file__, home / "echo.py")
    (home / "poezio.cfg").write_text(
        "[Poezio]\njid={XMPP_JID}\npassword={XMPP_PASSWORD}\ncustom_host={XMPP_HOST}\ncustom_port={XMPP_PORT}\n"
        "ca_cert_path={XMPP_CA}\nenable_smacks=true\nplugins_dir={HOME}\nplugins_autoload=echo\n".format_map(os.environ))
    # poezio refuses to run as root, which tests may be.
    start = "import os; os.geteuid = lambda: 1; from poezio.__main__ import run; run()"
    pty.spawn(["setpriv", "--pdeathsig", "KILL", "/usr/bin/python3", "-c", start, "-f", str(home / "poezio.cfg")])
