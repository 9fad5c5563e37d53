-- What mod_sasl2 of prosody-modules wants of connections with TLS, for a Prosody older than 0.13: without this, it fails with
-- "attempt to call a nil value (method 'ssl_info')".

module:hook("stream-features", function (event)
	local connection = event.origin.conn;
	local methods = connection and getmetatable(connection).__index;
	if methods and not methods.ssl_info then
		function methods:ssl_info() return self:socket():info(); end
	end
end, 1000);
