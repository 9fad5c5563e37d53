-- Lua code with and without findings.
local function everything_is_right(stanza, text)
	stanza:find("{urn:xmpp:delay}delay@stamp");
	stanza:find'{http://jabber.org/protocol/disco#info}query/feature@var'
	stanza:find [[{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/first#]]
	stanza:find("body#")
	stanza:find("\123urn:x\125a\z
		/b")
	stanza:find("a/" .. text)
	stanza:find(text)
	-- Of strings: patterns, and plain texts.
	text:find("^a//b")
	text:find("a//%d+")
	text:find("//x$") text:find("error$")
	text:find("a//b", 1, true)
	text:find("/") text:find("=") text:find(":") text:find("\r\n\r\n") text:find("://") text:find(".")
	text:find("http://") text:find("[^ \t]") text:find("a, b") text:find("<br") text:find("mailto:") text:find(":x")
	text:find("a(b)") text:find("end of") text:find("'") text:find("[a-z]+@") text:find("{") text:find("@")
	text:find("application/") text:find("../a/") text:find("muc#roomconfig_")
	text:find("jabber:x:data") text:find("urn:xmpp:mam:2")
	text:find("a|b") text:find("muc|pubsub|pep") text:find("a@b|c@d") text:find("a/b|c")
	-- Of strings for sure: any text.
	;("x"):find("a//b"); ("x" .. text):find("a//b"); (text or ""):find("a//b")
	local x = ([[x]]):find("{urn:x}a b")
	stanza:get_text():find("a//b") stanza:get_child_text("body"):find("a@b|integer")
	stanza.attr.to:find("a@b/c") stanza.attr["to"]:find("a@b/c") tostring(stanza):find("<a type='x'>")
	local y = text:lower():sub(1, 2) : find("a//b")
	if ("x"):find("a//b") then return ("x"):find("a//b") end
	string.find(text, "a//b")
	stanza:find("a//b") -- stanza-lint: ignore
	--[[ stanza:find("a//b") ]]
	return "stanza:find('a//b')"
end

local function this_is_wrong(stanza)
	stanza:find("a//b"); -- expect: syntax
	stanza:find 'a//b' -- expect: syntax
	stanza:find[==[a//b]==] -- expect: syntax
	stanza:find("\97//b") -- expect: syntax
	stanza:find("{urn:x}a b") -- expect: syntax
	stanza:find("{urn:x}a@b|integer") -- expect: unknownConversion
	stanza:find("{urn:x}a|int") -- expect: misplacedConversion
	stanza:find("a@b/c") -- expect: misplacedExtraction
	stanza:find("a<b~(>") -- expect: invalidRegex
	stanza:find("a<type=x><type=y>") -- expect: contradicting-filters
	stanza:find("stream:error") -- expect: colon-in-name
	stanza:find("body/#") -- expect: text-of-children
	stanza:find("x\\@a\\") -- expect: form-in-x
	stanza:find("a@b|integer") -- expect: unknownConversion
	stanza:get_child("x"):find("a//b") -- expect: syntax
	stanza:find("a#", stanza:get_text()):find("a//b") -- expect: syntax
	local x = stanza:get_text() stanza:find("a//b") -- expect: syntax
	local y = "x"; stanza:find("a//b") -- expect: syntax
	f("x" .. "y", stanza:find("a//b")) -- expect: syntax
	f("x"):find("a//b") f"x":find("a#") -- expect: syntax
end
