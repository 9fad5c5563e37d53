-- The ten queries with Prosody's util.stanza. Arguments: Prosody's library, a file of stanzas (each a line with its
-- length in bytes, then the stanza's document), the argument of the ninth query, the number of samples.
-- Prints for each query how many stanzas have a result, and nanoseconds per stanza, tab-separated. Without samples
-- nothing is timed.
--
-- `find` has no filters: where a query has one, it is Lua, as in Prosody's modules.
local library, path, node, samples = arg[1], arg[2], arg[3], tonumber(arg[4])
package.path = library .. "/?.lua;" .. package.path
package.cpath = library .. "/?.so;" .. package.cpath
local xml = require "util.xml"

local stanzas = {}
local file = assert(io.open(path, "rb"))
for length in function() return file:read("n", "l") end do
	local text = file:read(length)
	stanzas[#stanzas + 1] = assert(xml.parse(text)).tags[1]
end
file:close()

local function any_text(text) return text and text ~= "" end

local function attribute_or_element(query)
	return function(stanza) return stanza:find(query) end
end

local queries = {
	function(stanza) return stanza.attr.type == "error" end,
	attribute_or_element("error/{urn:ietf:params:xml:ns:xmpp-stanzas}item-not-found"),
	attribute_or_element("{http://jabber.org/protocol/disco#info}query/feature@var"),
	attribute_or_element("{http://jabber.org/protocol/pubsub}pubsub/items/item"),
	function(stanza) return any_text(stanza:find("body#")) end,
	attribute_or_element("{urn:xmpp:delay}delay@stamp"),
	function(stanza)
		local action = stanza:find("{urn:xmpp:jingle:1}jingle@action")
		return action == "session-initiate" or action == "session-accept"
	end,
	attribute_or_element("@id"),
	function(stanza)
		local items = stanza:find("{http://jabber.org/protocol/pubsub}pubsub/items")
		return items and items.attr.node == node and items:find("item@id")
	end,
	function(stanza)
		local query = stanza:find("{http://jabber.org/protocol/disco#info}query")
		if not query then return nil end
		for form in query:childtags("x", "jabber:x:data") do
			if form.attr.type == "result" then
				for field in form:childtags("field") do
					if field.attr.var == "max-file-size" and any_text(field:find("value#")) then return true end
				end
			end
		end
	end,
}

for _, query in ipairs(queries) do
	local function ask_all()
		local count = 0
		for index = 1, #stanzas do
			if query(stanzas[index]) then count = count + 1 end
		end
		return count
	end
	local count, times = ask_all(), {}
	for sample = 1, samples do
		local start = os.clock()
		ask_all()
		times[sample] = os.clock() - start
	end
	table.sort(times)
	local median = times[(#times + 1) // 2] or 0
	print(string.format("%d\t%.2f", count, median / #stanzas * 1e9))
end
