--- What Lua tables don't say of the Python objects that they stand for: the class, and the order of a dictionary's keys.
-- @module torch.file.python_tables
local objects = {}

-- Value of None where nil would leave a hole: in lists and as a key.
objects.none = setmetatable({}, { __tostring = function() return 'None' end })

-- Table -> its note: class (a name), keys (in order), count (of keys), absent (the keys whose value is None).
local notes = setmetatable({}, { __mode = 'k' })
local list, tuple = { class = 'list' }, { class = 'tuple' }

notes[objects.none] = { class = 'None' }

local function noted(t, note)
  notes[t] = note
  return t
end

--- Returns the table of a new list.
function objects.list(t) return noted(t, list) end

--- Returns the table of a new tuple.
function objects.tuple(t) return noted(t, tuple) end

--- Returns the table of a new object whose items are the table's array part.
function objects.sequence(t, name) return noted(t, { class = name }) end

--- Returns a new empty table for a dictionary, or an object with named fields.
function objects.dictionary(name) return noted({}, { class = name, keys = {}, count = 0 }) end

--- Returns the note of a table; nil if it stands for no Python object.
function objects.note(t) return notes[t] end

--- Sets an item of a dictionary; None becomes nil.
-- @treturn bool false if the key can't be one: NaN
function objects.set(t, key, value)
  if key ~= key then return false end
  local note = notes[t]
  local absent = note.absent and note.absent[key]
  if rawget(t, key) == nil and not absent then
    note.count = note.count + 1
    note.keys[note.count] = key
  end
  if value == objects.none then
    note.absent = note.absent or {}
    note.absent[key] = true
    value = nil
  elseif absent then
    note.absent[key] = nil
  end
  rawset(t, key, value)
  return true
end

local ranks = { number = 1, string = 2, boolean = 3 }

local function before(a, b)
  local ra, rb = ranks[type(a)] or 4, ranks[type(b)] or 4
  if ra ~= rb then return ra < rb end
  if ra <= 2 then return a < b end
  return tostring(a) < tostring(b)
end

--- Returns the keys of a table in the order of the file it was read from; keys that a program added, and those of other tables, come last
-- and are sorted: numbers, then strings.
-- @tparam table t
-- @treturn table list of keys, among them those of None, for which the table has nil
function objects.keys(t)
  local found, listed, count = {}, {}, 0
  local note = notes[t]
  for i = 1, note and note.count or 0 do
    local key = note.keys[i]
    if rawget(t, key) ~= nil or note.absent and note.absent[key] then
      count = count + 1
      found[count], listed[key] = key, true
    end
  end
  local more = {}
  for key in next, t do
    if not listed[key] then more[#more + 1] = key end
  end
  table.sort(more, before)
  for i, key in ipairs(more) do found[count + i] = key end
  return found
end

return objects
