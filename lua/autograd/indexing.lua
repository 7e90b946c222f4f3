--- x[key] and x[key] = value if the tape follows x or the written value.
-- @module autograd.indexing
local C = require 'libmoontorch'
local check, follow = require 'torch.check', require('autograd.write').start

local cIndex, cNewIndex, tracked = C.index, C.newIndex, C.tracked

local indexing = {}

-- Returns a position in a key, counted from 1. The key has been checked: its entries are numbers or numerals. Fractions are truncated, and
-- the program has been warned about them.
local function position(entry, size)
  entry = tonumber(entry)
  entry = entry < 0 and math.ceil(entry) or math.floor(entry)
  return entry < 0 and size + entry + 1 or entry
end

-- Returns the result of a key by ops. t:select and t:narrow are recorded, and so are fill and copy into their results.
local function viewOf(t, key)
  if C.isStorage(key) then key = key:totable() end
  if type(key) ~= 'table' then return t:select(1, position(key, t:size(1))) end
  local dim = 1
  for _, entry in ipairs(key) do
    local size = t:size(dim)
    if type(entry) == 'table' then
      if entry[1] then
        local first, last = position(entry[1], size), position(entry[2] or entry[1], size)
        t = t:narrow(dim, first, last - first + 1)
        if entry[3] then t = t:unfold(dim, 1, tonumber(entry[3])):select(t:dim() + 1, 1) end
      end
      dim = dim + 1
    else
      t = t:select(dim, position(entry, size))
    end
  end
  return t
end

-- Returns whether the key selects elements of t. If not, the caller calls the C function in a tail call, whose error reports the caller's
-- line.
local function names(t, key)
  local done, found = pcall(cIndex, C.detach(t), key)
  return done and found ~= nil
end

-- Whether a key has a vector of positions or a mask for a dimension.
local function hasLists(key)
  if type(key) ~= 'table' then return false end
  for _, entry in ipairs(key) do
    if C.isTensor(entry) then return true end
  end
  return false
end

--- x[key].
function indexing.index(t, key)
  if C.isTensor(key) or hasLists(key) then return cIndex(t, key) end       -- by methods, which are recorded
  if not names(t, key) then return cIndex(C.detach(t), key) end
  return viewOf(t, key)
end

-- A tracked number is a tensor of one element. Like a number, it is written to all elements that a mask or indices select.
local function spread(t, key, value)
  if not tracked(value) or value:nElement() ~= 1 then return value end
  local kind = C.dtypeOf(key)
  if kind == 'Byte' or kind == 'Bool' then
    return key:nElement() == t:nElement() and value:reshape(1):expand(t:nElement()) or value
  end
  local sizes = t:size():totable()
  sizes[1] = key:nElement()
  local ones = {}
  for i = 1, #sizes do ones[i] = 1 end
  return value:reshape(unpack(ones)):expand(unpack(sizes))
end

--- x[key] = value.
function indexing.newIndex(t, key, value)
  if hasLists(key) then
    if not tracked(t) then follow(t) end
    return cNewIndex(t, key, value)
  end
  local several = C.isTensor(key)
  local refused = not several and not names(t, key) or not C.isTensor(value) and not tonumber(value)
  if refused then return cNewIndex(t, key, value) end
  if not tracked(t) then follow(t) end
  if several then return cNewIndex(t, key, spread(t, key, value)) end       -- by methods, which are recorded
  local view
  if t:dim() == 1 then
    -- One element would be read as a tensor without a position in t.
    local entry = C.isStorage(key) and key[1] or type(key) == 'table' and key[1] or key
    if type(entry) ~= 'table' and entry ~= nil then view = t:narrow(1, position(entry, t:size(1)), 1) end
  end
  view = view or viewOf(t, key)
  if not C.isTensor(value) then return view:fill(value) end
  local good, message = pcall(view.copy, view, value)
  if not good then check.raise(message) end
end

return indexing
