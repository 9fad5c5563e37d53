"""The session, scene after scene. Each file holds one subject; this one is the cast and the order.

Alice is the administrator and has two devices, Bob has one whose network breaks, Carol registers in the session.
"""

from types import SimpleNamespace

from recorder.client import Client
from recorder.scenes import account, admin, archive, calls, chat, discovery, news, profile, rooms, streams
from recorder.server import PASSWORDS


def play(recording):
    cast = SimpleNamespace(recording=recording)
    cast.client = lambda name, jid, password, quote="'": Client(recording, name, jid, password, quote)
    streams.refuse(cast)
    cast.alice = cast.client("alice-1", "alice@localhost/balcony", PASSWORDS["alice"], '"')
    cast.phone = cast.client("alice-2", "alice@localhost/phone", PASSWORDS["alice"])
    cast.bob = cast.client("bob-1", "bob@localhost/garden", PASSWORDS["bob"])
    cast.carol = cast.client("carol-1", "carol@localhost/library", "catalogue")
    for scene in (
        account.log_in, account.meet, discovery.look_around, discovery.ask_each_other, profile.publish,
        account.register, chat.talk, chat.edit, chat.encrypt, calls.negotiate, rooms.open_room, rooms.converse,
        rooms.moderate, rooms.leave, news.follow, archive.query, admin.command, account.block, chat.fail,
        streams.resume, account.part, streams.fail,
    ):
        scene(cast)
