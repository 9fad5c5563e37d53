-- Prepares addresses with Prosody's own util.jid, for ProsodyComparisonTests. Started by Oracle.swift.
--
--     lua5.4 prosody.lua FOLDER-OF-PROSODY'S-MODULES
--
-- Prints "ready" first. Then it answers each line of input, a JSON array, with a line of JSON:
--     ["prepare", TEXT]     the parts as an object with the members `localpart`, `domain`, `resource`; {} if TEXT is
--                           not an address
--     ["escape", TEXT], ["unescape", TEXT]
--                           an object with the member `text`

local modules = assert(arg[1], "usage: lua5.4 prosody.lua FOLDER")
package.path = modules .. "/?.lua;" .. package.path
package.cpath = modules .. "/?.so;" .. package.cpath
local json = require "util.json"
local jid = require "util.jid"

local function answer(kind, text)
    if kind ~= "prepare" then return { text = jid[kind](text) } end
    local localpart, domain, resource = jid.prepped_split(text)
    return { localpart = localpart, domain = domain, resource = resource }
end

io.stdout:setvbuf("line")
print("ready")
for line in io.lines() do
    local kind, text = table.unpack(json.decode(line))
    print(json.encode(answer(kind, text)))
end
