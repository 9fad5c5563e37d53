-- Answers the cases of `stanza conformance --program` with Prosody's own `stanza:find`, of the module util.stanza:
--
--     stanza conformance --program 'lua5.4 Grammar/implementations/prosody.lua' Grammar/conformance
--
-- An argument names another folder of Prosody's modules. README.md in the folder conformance describes the lines.

local modules = arg[1] or "/usr/lib/prosody"
package.path = modules .. "/?.lua;" .. package.path
package.cpath = modules .. "/?.so;" .. package.cpath
local json = require "util.json"
local xml = require "util.xml"

-- The release 0.12 has none, later ones have.
local namespaced = "attributes of a namespace (release 0.12)"
-- The forms of the language that `find` does not have, with the patterns that recognize them in a query.
local missing = {
    { "filters", "[<>]" }, { "conversions", "|" }, { "data forms", "\\" }, { "negated names", "!" },
    { "wildcards", "%*" }, { "the parent", "%.%." }, { "names as results", "%$" }, { "all attributes", "@@" },
    { namespaced, "@[^{]*:" }, { namespaced, "@{" },
}

local function unsupported(case)
    if case.options then return "compile options" end
    if case.arguments then return "arguments" end
    if not case.xml then return "compiling without a document" end
    -- Namespaces may contain anything. Only the end of a query may have an attribute's.
    local query = case.query:gsub("^{[^*}]+}", "{}"):gsub("/{[^*}]+}", "/{}")
    -- Prosody has names of this form for the namespace of `xml`.
    query = query:gsub("@xml:lang$", "@lang")
    for _, form in ipairs(missing) do
        if query:find(form[2]) then return form[1] end
    end
end

local function no(feature) return ('{"unsupported": %s}'):format(json.encode(feature)) end

-- A document, where the default namespace and the prefix of streams are in scope. Nothing if expat refuses it.
local function parse(case)
    local namespace = case.defaultNamespace and ("xmlns='%s' "):format(case.defaultNamespace) or ""
    local start = ("<around %sxmlns:stream='http://etherx.jabber.org/streams'>"):format(namespace)
    local allowed = { allow_comments = true, allow_processing_instructions = true }
    local around = xml.parse(start .. case.xml .. "</around>", allowed)
    return around and around.tags[1]
end

local function place(element, top)
    local function search(current, path)
        if current == element then return path end
        for index, child in ipairs(current.tags) do
            local found = search(child, path .. (path == "" and "" or ", ") .. math.tointeger(index - 1))
            if found then return found end
        end
    end
    return search(top, "")
end

local function answer(case)
    local reason = unsupported(case)
    if reason then return no(reason) end
    local top = parse(case)
    if not top then return no "documents that expat refuses, with names of XML's fifth edition" end
    local element = top
    for _, index in ipairs(case.context or {}) do element = element.tags[index + 1] end
    local found = element:find(case.query)
    if found == nil then return '{"first": null}' end
    if type(found) == "string" then return ('{"first": {"string": %s}}'):format(json.encode(found)) end
    return ('{"first": {"element": [%s]}}'):format(place(found, top))
end

io.stdout:setvbuf("line")
for line in io.lines() do print(answer(assert(json.decode(line)))) end
