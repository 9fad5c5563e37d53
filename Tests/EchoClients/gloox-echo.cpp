#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <gloox/client.h>
#include <gloox/connectionlistener.h>
#include <gloox/message.h>
#include <gloox/messagehandler.h>

using namespace gloox;

struct Bot : MessageHandler, ConnectionListener {
    Client client{JID(getenv("XMPP_JID")), getenv("XMPP_PASSWORD"), atoi(getenv("XMPP_PORT"))};

    Bot()
    {
        client.setServer(getenv("XMPP_HOST"));
        client.setStreamManagement(true, true);
        client.registerMessageHandler(this);
        client.registerConnectionListener(this);
    }

    void handleMessage(const Message &message, MessageSession *) override
    {
        std::string body = message.body();
        int first, last;
        if (message.subtype() == Message::Error) return;
        if (body.compare(0, 5, "ping ") == 0) client.send(Message(Message::Chat, message.from(), body));
        else if (std::sscanf(body.c_str(), "send %d %d", &first, &last) == 2)
            for (; first <= last; first++) client.send(Message(Message::Chat, message.from(), std::to_string(first)));
    }

    void onConnect() override {}
    void onDisconnect(ConnectionError) override {}
    bool onTLSConnect(const CertInfo &) override { return true; }
};

int main()
{
    for (Bot bot;; sleep(1)) bot.client.connect(true);
}
