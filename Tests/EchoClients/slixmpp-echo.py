import asyncio, os, slixmpp
bot = slixmpp.ClientXMPP(os.environ["XMPP_JID"], os.environ["XMPP_PASSWORD"])
bot.ca_certs = os.environ["XMPP_CA"] or None
bot.register_plugin("xep_0198")
def answer(message):
    words = message["body"].split(" ")
    if message["type"] != "error" and words[0] in ("ping", "send"):
        for body in [message["body"]] if words[0] == "ping" else range(int(words[1]), int(words[2]) + 1):
            bot.send_message(message["from"], str(body), mtype="chat")
def connect(event=None):
    bot.connect((os.environ["XMPP_HOST"], int(os.environ["XMPP_PORT"])))
bot.add_event_handler("message", answer)
bot.add_event_handler("disconnected", lambda event: asyncio.get_event_loop().call_later(1, connect))
connect()
asyncio.get_event_loop().run_forever()
