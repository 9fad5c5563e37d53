-- Prosody for the interoperability tests: on the loopback interface only, in a folder of its own.
-- RunningServer.swift replaces what is written in capitals.

run_as_root = true
pidfile = "FOLDER/prosody.pid"
data_path = "FOLDER/data"
plugin_paths = { "OWN_MODULES" }
certificates = "FOLDER"
interfaces = { "127.0.0.1" }
local_interfaces = { "127.0.0.1" }
c2s_ports = { PORT }
c2s_direct_tls_ports = { SECURE_PORT }
ssl = { certificate = "CERTIFICATE", key = "PRIVATE_KEY" }
s2s_ports = { }
http_ports = { }
https_ports = { }
network_backend = "epoll"
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
authentication = "internal_PASSWORDS"
storage = "internal"
log = { { levels = { min = "info" }, to = "file", filename = "FOLDER/server.log" } }

modules_enabled = {
    "roster", "saslauth", "disco", "posix", "ping", "smacks", "presence", "message", "iq", "offline", "tls",
    MORE_MODULES
}
modules_disabled = { "s2s", "http" }

server_end_point = "CERTIFICATE_HASH"
smacks_hibernation_time = RESUMPTION_TIME
-- The default is 500: Prosody loses all stanzas beyond that if a client dies after a night offline.
smacks_max_queue_size = 10000
-- Clients under test may have to wait long for a thread.
c2s_timeout = 86400

VirtualHost "localhost"
ARCHIVE_AND_ROOMS
