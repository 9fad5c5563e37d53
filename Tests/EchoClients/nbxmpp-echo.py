import os
from gi.repository import GLib
from nbxmpp.client import Client
from nbxmpp.const import ConnectionProtocol, ConnectionType
from nbxmpp.protocol import Message
from nbxmpp.structs import StanzaHandler

bot = Client()
user, domain = os.environ["XMPP_JID"].split("@")
bot.set_username(user), bot.set_domain(domain), bot.set_password(os.environ["XMPP_PASSWORD"])
bot.set_custom_host(f"127.0.0.1:{os.environ['XMPP_PORT']}", ConnectionProtocol.TCP, ConnectionType.START_TLS)
bot.set_ignore_tls_errors(True)
def answer(client, stanza, properties):
    words = stanza.getBody().split(" ")
    if words[0] in ("ping", "send"):
        for body in [stanza.getBody()] if words[0] == "ping" else range(int(words[1]), int(words[2]) + 1):
            bot.send_stanza(Message(to=stanza.getFrom(), body=str(body), typ="chat"))
bot.register_handler(StanzaHandler(name="message", typ="chat", callback=answer))
for signal in "disconnected", "connection-failed":
    bot.subscribe(signal, lambda *arguments: GLib.timeout_add_seconds(1, lambda: bot.connect()))
bot.connect()
GLib.MainLoop().run()
