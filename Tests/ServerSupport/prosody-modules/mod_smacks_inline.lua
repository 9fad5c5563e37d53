-- What mod_sasl2_sm of prosody-modules wants of mod_smacks, for a Prosody older than 0.13, whose mod_smacks lacks it: without
-- this, mod_sasl2_sm fails with "attempt to call a nil value (field 'do_enable')". The work is done by mod_smacks's own
-- handlers; what they send is caught, and sent behind the answer to the authentication.

local smacks = module:depends("smacks");
local sessions = module:shared("/*/c2s/sessions");

-- Runs a handler of mod_smacks. Gives what it wants to send.
local function catch(handler, session, request)
	local caught = {};
	session.send = function (stanza)
		table.insert(caught, stanza);
		return true;
	end
	handler(session, request, request.attr.xmlns);
	return caught;
end

function smacks.do_enable(session, request)
	local send = session.send;
	local answer = catch(smacks.handle_enable, session, request)[1];
	session.send = send;
	if answer.name ~= "enabled" then
		return nil, { type = "cancel"; condition = "unexpected-request" };
	end
	return { type = "enabled"; id = answer.attr.id; resume_max = answer.attr.max; finish = function () end };
end

function smacks.do_resume(session, request)
	local send = session.send;
	local caught = catch(smacks.handle_resume, session, request);
	local answer = table.remove(caught, 1);
	if answer.name ~= "resumed" then
		session.send = send;
		return nil, { type = "cancel"; condition = "item-not-found"; context = { h = tonumber(answer.attr.h) } };
	end
	local resumed = sessions[session.conn];
	resumed.send = send;
	local function finish()
		-- They are in the queue already.
		session.resending_unacked, resumed.resending_unacked = true, true;
		for _, stanza in ipairs(caught) do send(stanza); end
		session.resending_unacked, resumed.resending_unacked = nil, nil;
	end
	return { type = "resumed"; id = answer.attr.previd; session = resumed; finish = finish };
end
