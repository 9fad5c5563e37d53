"""A Prosody of its own for one recording: a temporary folder, a free port on loopback, two registered users.

Nothing of the machine may reach the wire: the configuration gives every name that the server shows.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time

PASSWORDS = {"alice": "wonderland", "bob": "builder"}

CONFIGURATION = """
run_as_root = true
pidfile = "{folder}/prosody.pid"
data_path = "{folder}/data"
certificates = "{folder}/certs"
interfaces = {{ "127.0.0.1" }}
local_interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {port} }}
s2s_ports = {{ }} http_ports = {{ }} https_ports = {{ }} c2s_direct_tls_ports = {{ }}
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
network_settings = {{ nagle = false }}
authentication = "internal_plain"
storage = "internal"
log = {{ {{ levels = {{ min = "info" }}, to = "file", filename = "{folder}/prosody.log" }} }}
modules_enabled = {{
  "roster"; "saslauth"; "disco"; "ping"; "pep"; "smacks"; "carbons"; "time"; "version"; "uptime"; "vcard4";
  "vcard_legacy"; "bookmarks"; "blocklist"; "mam"; "offline"; "presence"; "message"; "iq"; "cron"; "register";
  "admin_adhoc"; "announce"; "lastactivity"; "csi"; "external_services"; "server_contact_info"; "tombstones";
  "watchregistrations"; "welcome"; "motd"; "invites"; "invites_adhoc";
}}
modules_disabled = {{ "s2s"; "tls"; "http"; "limits"; "admin_shell"; "admin_socket" }}
admins = {{ "alice@localhost" }}
allow_registration = true
additional_registration_fields = {{ "email", "nick", "url" }}
registration_title = "A new account"
welcome_message = "Hello $username, welcome to $host!"
motd_text = "The library closes at eight.\\nBring back what you borrowed."
motd_jid = "localhost"
contact_info = {{
  admin = {{ "xmpp:alice@localhost" }}, abuse = {{ "mailto:abuse@example.org", "xmpp:alice@localhost" }}
}}
external_service_secret = "not a secret"
external_services = {{
  {{ type = "stun", transport = "udp", host = "turn.example.org", port = 3478 }},
  {{ type = "turn", transport = "udp", host = "turn.example.org", port = 3478, secret = true, ttl = 86400 }},
}}
smacks_max_unacked_stanzas = 4
smacks_hibernation_time = 60
max_archive_query_results = 20
VirtualHost "localhost"
Component "rooms.localhost" "muc"
  name = "Rooms of localhost"
  modules_enabled = {{ "muc_mam" }}
  admins = {{ }}
  muc_registration_include_form = true
Component "pubsub.localhost" "pubsub"
  name = "News of localhost"
  expose_publisher = true
Component "share.localhost" "http_file_share"
  name = "Files of localhost"
  http_file_share_base_url = "https://share.localhost/upload"
  http_file_share_secret = "not a secret"
  http_file_share_size_limit = 1000000
"""


class Server:
    """`with Server() as server:` runs Prosody until the block ends; its folder goes with it."""

    def __enter__(self):
        self._process = None
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.folder)

    def _start(self):
        self.folder = tempfile.mkdtemp(prefix="prosody-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        for name in ("data", "certs"):
            os.mkdir(os.path.join(self.folder, name))
        self._configuration = os.path.join(self.folder, "prosody.cfg.lua")
        with open(self._configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=self.folder, port=self.port))
        for user, password in PASSWORDS.items():
            subprocess.run(["prosodyctl", "--config", self._configuration, "register", user, "localhost", password],
                           check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(self.folder, "output"), "w", encoding="utf-8") as output:
            self._process = subprocess.Popen(["prosody", "-F", "--config", self._configuration],
                                             stdout=output, stderr=output, cwd=self.folder)
        self._wait_for_port()

    def _wait_for_port(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    with open(os.path.join(self.folder, "output"), encoding="utf-8") as output:
                        raise RuntimeError(f"prosody did not start: {output.read()}") from None
                time.sleep(0.05)
