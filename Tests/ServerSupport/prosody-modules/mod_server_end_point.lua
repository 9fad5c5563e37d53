-- Channel binding by the server's certificate (tls-server-end-point, RFC 5929) and the list of kinds (XEP-0440), for a Prosody
-- older than 0.13, which knows neither. Messages and checks are those of Prosody's own SCRAM.
--
-- The option `server_end_point` is the hash of the certificate, as hexadecimal digits: its signature's hash, SHA-256 here.

local sasl = require "util.sasl";
local scram = require "util.sasl.scram";
local st = require "util.stanza";
local from_hex = require "util.hex".from;

local kind = "tls-server-end-point";
local hash = from_hex(module:get_option_string("server_end_point"));

scram.init(function (name, backends, handler, bindings)
	return sasl.registerMechanism(name, backends, handler, bindings and { kind });
end);

local users = prosody.hosts[module.host].users;
local get_sasl_handler = users.get_sasl_handler;
function users.get_sasl_handler(session, ...)
	local handler = get_sasl_handler(session, ...);
	if session.encrypted then
		handler:add_cb_handler(kind, function () return hash; end);
	end
	return handler;
end

module:hook("stream-features", function (event)
	if event.origin.type ~= "c2s_unauthed" or not event.origin.encrypted then return; end
	event.features:add_child(st.stanza("sasl-channel-binding", { xmlns = "urn:xmpp:sasl-cb:0" })
		:tag("channel-binding", { type = kind }));
end);
