#include <QCoreApplication>
#include <QXmppClient.h>
#include <QXmppConfiguration.h>
#include <QXmppMessage.h>

int main(int count, char **arguments)
{
    QCoreApplication application(count, arguments);
    QXmppClient bot;
    QXmppConfiguration configuration;
    configuration.setJid(qgetenv("XMPP_JID"));
    configuration.setPassword(qgetenv("XMPP_PASSWORD"));
    configuration.setHost(qgetenv("XMPP_HOST"));
    configuration.setPort(qgetenv("XMPP_PORT").toInt());
    configuration.setIgnoreSslErrors(true);
    QObject::connect(&bot, &QXmppClient::messageReceived, [&bot](const QXmppMessage &message) {
        const auto words = message.body().split(' ');
        if (message.type() == QXmppMessage::Error) return;
        if (words[0] == "ping") bot.sendPacket(QXmppMessage({}, message.from(), message.body()));
        for (int number = words.value(1).toInt(); words[0] == "send" && number <= words.value(2).toInt(); number++)
            bot.sendPacket(QXmppMessage({}, message.from(), QString::number(number)));
    });
    bot.connectToServer(configuration);
    return application.exec();
}
