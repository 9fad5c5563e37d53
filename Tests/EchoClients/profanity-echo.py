# profanity's plugin, and as a program the terminal for it.
import os, pathlib, pty, shutil, tempfile

def prof_post_chat_message_display(sender, resource, text):
    import prof
    words = text.split(" ")
    if words[0] in ("ping", "send"):
        for body in [text] if words[0] == "ping" else range(int(words[1]), int(words[2]) + 1):
            prof.send_line(f"/msg {sender} {body}")

if __name__ == "__main__":
    home = pathlib.Path(tempfile.mkdtemp())
    os.environ |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home), "TERM": "xterm"}
    plugins = home / "profanity/plugins"
    plugins.mkdir(parents=True)
    shutil.copy(__file__, plugins / "echo.py")
    (home / "profanity/profrc").write_text("[connection]\nreconnect=1\n[plugins]\nload=echo.py;\n")
    (home / "profanity/accounts").write_text(
        "[bot]\nenabled=true\njid={XMPP_JID}\nserver={XMPP_HOST}\nport={XMPP_PORT}\npassword={XMPP_PASSWORD}\n"
        "resource=torture\ntls.policy=trust\n".format_map(os.environ))
    # It outlives its terminal.
    pty.spawn(["setpriv", "--pdeathsig", "KILL", "profanity", "-a", "bot"])
