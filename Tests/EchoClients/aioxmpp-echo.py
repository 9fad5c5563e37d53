import asyncio, os, aioxmpp, aioxmpp.dispatcher

async def main():
    layer = aioxmpp.make_security_layer(os.environ["XMPP_PASSWORD"], no_verify=True)
    peer = (os.environ["XMPP_HOST"], int(os.environ["XMPP_PORT"]), aioxmpp.connector.STARTTLSConnector())
    bot = aioxmpp.PresenceManagedClient(aioxmpp.JID.fromstr(os.environ["XMPP_JID"]), layer, override_peer=[peer])
    def answer(message):
        text = message.body.any()
        words = text.split(" ")
        for body in [text] if words[0] == "ping" else range(int(words[1]), int(words[2]) + 1):
            reply = aioxmpp.Message(to=message.from_, type_=aioxmpp.MessageType.CHAT)
            reply.body[None] = str(body)
            bot.enqueue(reply)
    chat = bot.summon(aioxmpp.dispatcher.SimpleMessageDispatcher)
    chat.register_callback(aioxmpp.MessageType.CHAT, None, answer)
    async with bot.connected():
        await asyncio.Future()

asyncio.run(main())
