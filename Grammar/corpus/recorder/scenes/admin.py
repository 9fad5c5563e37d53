"""Ad-hoc commands with their data forms, by the administrator and by one who may not."""

ADMIN = "http://jabber.org/protocol/admin"
COMMAND = "<command xmlns='http://jabber.org/protocol/commands' node='{}'{}>{}</command>"
NODE = "{http://jabber.org/protocol/commands}command"
ITEMS = "<query xmlns='http://jabber.org/protocol/disco#items' node='http://jabber.org/protocol/commands'/>"


def command(cast):
    alice, bob = cast.alice, cast.bob
    alice.iq("get", ITEMS, to="localhost")
    bob.iq("get", ITEMS, to="localhost")
    alice.iq("get", f"<query xmlns='http://jabber.org/protocol/disco#info' node='{ADMIN}#add-user'/>", to="localhost")
    bob.iq("set", COMMAND.format("uptime", " action='execute'", ""), to="localhost")
    bob.iq("set", COMMAND.format(f"{ADMIN}#add-user", " action='execute'", ""), to="localhost", error="forbidden")
    bob.iq("set", COMMAND.format("no-such-command", "", ""), to="localhost", error="service-unavailable")
    run(alice, f"{ADMIN}#add-user", ("accountjid", "dormouse@localhost"), ("password", "sleep"),
        ("password-verify", "sleep"))
    run(alice, f"{ADMIN}#add-user", ("accountjid", "dormouse@localhost"), ("password", "sleep"),
        ("password-verify", "slept"))
    run(alice, f"{ADMIN}#add-user", ("accountjid", ""), ("password", "nobody"))
    run(alice, f"{ADMIN}#change-user-password", ("accountjid", "dormouse@localhost"), ("password", "more sleep"))
    run(alice, f"{ADMIN}#get-user-roster", ("accountjid", "bob@localhost"))
    run(alice, f"{ADMIN}#user-stats", ("accountjid", "bob@localhost"))
    run(alice, f"{ADMIN}#get-online-users-list", ("max_items", "25"), ("details", "1"))
    run(alice, f"{ADMIN}#announce", ("subject", "Croquet"), ("announcement", "The Queen\ninvites you"))
    run(alice, f"{ADMIN}#delete-user", ("accountjids", "dormouse@localhost", "nobody@localhost"))
    alice.iq("set", COMMAND.format("http://prosody.im/protocol/modules#list", " action='execute'", ""), to="localhost")
    session = start(alice, f"{ADMIN}#announce")
    alice.iq("set", COMMAND.format(f"{ADMIN}#announce", f" sessionid='{session}' action='cancel'", ""), to="localhost")
    run(bob, "urn:xmpp:invite#invite")
    alice.iq("get", "<query xmlns='jabber:iq:last'/>", to="bob@localhost")


def start(client, node):
    reply = client.iq("set", COMMAND.format(node, " action='execute'", ""), to="localhost")
    return reply.find(NODE).get("sessionid")


def run(client, node, *fields):
    """Starts a command and, if it wants a form, sends it filled in."""
    session = start(client, node)
    if not fields:
        return
    inner = f"<field var='FORM_TYPE' type='hidden'><value>{ADMIN}</value></field>" + "".join(
        f"<field var='{name}'>" + "".join(f"<value>{line}</value>" for value in values for line in value.split("\n"))
        + "</field>" for name, *values in fields)
    client.iq("set", COMMAND.format(node, f" sessionid='{session}' action='complete'",
                                    f"<x xmlns='jabber:x:data' type='submit'>{inner}</x>"), to="localhost")
