-- Answers queries with Prosody's own stanza:find, for the tests beside this file. Started by Support/Prosody.swift.
--
--     lua5.4 prosody.lua FOLDER-OF-PROSODY'S-MODULES
--
-- Says "ready" first. Then every line of input is a JSON object with the members
--     xml       a document
--     context   where the queries are evaluated: the indexes of child elements from the root down, "" or "0/2"
--     queries   their texts
-- and is answered by a line with the member `answers`, one for each query, or `error`. An answer has
--     element   where the element that was found stands, like `context`; or
--     text      the text or the attribute's value that was found; or neither; and
--     one member `true` for each thing that happened on the way and that `watch` below names.

local modules = assert(arg[1], "usage: lua5.4 prosody.lua FOLDER")
package.path = modules .. "/?.lua;" .. package.path
package.cpath = modules .. "/?.so;" .. package.cpath

local function load_module(name)
    local found, module = pcall(require, name)
    if not found then
        io.stderr:write("prosody.lua: ", module:match("[^\n:]*"), " below ", modules, "\n")
        os.exit(1)
    end
    return module
end

local json = load_module "util.json"
local stanza_mt = load_module "util.stanza".stanza_mt
local xml = load_module "util.xml"

-- What the current query did, see `watch`.
local seen

-- Notes what stanza:find comes across, without changing what it does: it asks for children and texts by these methods.
local function watch()
    local get_child, get_text = stanza_mt.get_child, stanza_mt.get_text

    function stanza_mt:get_child(name, namespace)
        local child = get_child(self, name, namespace)
        if child then
            if not namespace and self.attr.xmlns and not child.attr.xmlns then
                -- A child without namespace was taken, though its parent has one.
                seen.tookChildWithoutNamespace = true
            end
            local others, is_behind = { attr = self.attr, tags = {} }, false
            for _, tag in ipairs(self.tags) do
                if is_behind then table.insert(others.tags, tag) end
                is_behind = is_behind or tag == child
            end
            if get_child(others, name, namespace) then
                -- More children than the first satisfied a segment.
                seen.passedOtherChildren = true
            end
        end
        return child
    end

    function stanza_mt:get_text()
        local text = get_text(self)
        if #self.tags > 0 then
            -- The text of an element with child elements was asked for.
            seen.askedTextBesideChildren = true
        elseif text == "" then
            -- The text of an empty element was asked for.
            seen.gaveEmptyText = true
        end
        return text
    end
end

-- Where every element stands.
local function places_in(element, place, places)
    places[element] = place
    for index, child in ipairs(element.tags) do
        places_in(child, (place == "" and "" or place .. "/") .. math.tointeger(index - 1), places)
    end
    return places
end

local function answer(line)
    local request = assert(json.decode(line))
    local root = assert(xml.parse(request.xml))
    local context = root
    for index in request.context:gmatch("%d+") do
        context = assert(context.tags[math.tointeger(index) + 1], "there is no such context")
    end
    local places = places_in(root, "", {})
    local answers = {}
    for number, query in ipairs(request.queries) do
        seen = {}
        local result = context:find(query)
        if type(result) == "table" then
            seen.element = assert(places[result], "the result is in another tree")
        elseif result ~= nil then
            seen.text = assert(type(result) == "string" and result, "the result is of no known kind")
        end
        answers[number] = seen
    end
    return answers
end

watch()
io.stdout:setvbuf("line")
print("ready")
for line in io.lines() do
    local ok, answers = pcall(answer, line)
    print(json.encode(ok and { answers = answers } or { error = tostring(answers) }))
end
