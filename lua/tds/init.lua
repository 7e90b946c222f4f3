--- Containers outside Lua's heap, which threads and Lua states share: tds.Hash, tds.Vec and tds.AtomicCounter.
-- They hold numbers, booleans, strings, tensors, storages and each other. The garbage collector does not traverse them, so that data sets
-- with millions of entries cost it nothing. Each operation is atomic. torch.serialize copies containers; to share one, retain it and create
-- an object from its address: tds.retain(x) here, torch.pushudata(torch.pointer(x), torch.typename(x)) in the other state.
-- Containers that hold each other in a cycle are never freed.
-- @module tds
-- @usage local tds = require 'tds'
-- local words = tds.Hash { hello = 1 }
-- words.world = 2
-- for word, n in pairs(words) do print(word, n) end
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
local C = require('libmoontorch').containers
local check = require 'torch.check'
local class, extensions = require 'torch.class', require 'torch.extensions'

local foreign = require 'torch.tensor.ffi_types'

local tds = {}

--- Adds a reference, for a program in another Lua state. (A hash has no methods, since any name may be a key.)
-- @function tds.retain
-- @return its argument
tds.retain = foreign.retain

--- Removes the reference of `retain`.
-- @function tds.free
tds.free = foreign.free

local function sameContainer(a, b) return C.pointer(a) == C.pointer(b) end

local function metatable()
  return { __gc = C.release, __eq = sameContainer, __pointer__ = C.pointer, retain = foreign.retain, free = foreign.free }
end

-- pairs and ipairs of plain LuaJIT accept only tables: these also accept objects with __pairs and __ipairs.
local function install(name)
  local plain, hook = _G[name], '__' .. name
  local probe = newproxy(true)
  getmetatable(probe)[hook] = function() return 'asked' end
  local good, answer = pcall(plain, probe)
  if good and answer == 'asked' then return end
  rawset(_G, name, function(x, ...)
    if type(x) == 'userdata' then
      local meta = getmetatable(x)
      local iterate = type(meta) == 'table' and meta[hook]
      if iterate then return iterate(x) end
    end
    return plain(x, ...)
  end)
end
install 'pairs'
install 'ipairs'

local SHOWN = 8          -- levels of containers that tostring expands
local iterators = {}     -- class name -> function that iterates over a container

-- `open` has the addresses of the containers around this one, since a container may contain itself.
local function display(name, container, level, open)
  local address = C.pointer(container)
  if level > SHOWN or open[address] then return name .. '{...}' end
  open[address] = true
  local margin, lines = ('  '):rep(level - 1), { ('%s[%d]{'):format(name, #container) }
  local function shown(value)
    local kind = class.type(value)
    if class.isTensor(value) or class.isStorage(value) then return require('torch.tensor.display').line(value, kind) end
    return iterators[kind] and display(kind, value, level + 1, open) or tostring(value)
  end
  for key, value in iterators[name](container) do
    local keyKind = class.type(key)
    lines[#lines + 1] = ('%s  %s : %s'):format(margin, iterators[keyKind] and keyKind .. '{...}' or tostring(key), shown(value))
  end
  open[address] = nil
  lines[#lines + 1] = margin .. '}'
  return table.concat(lines, '\n')
end

-- Hash ----------------------------------------------------------------------------------------------------------------------------

local Hash = metatable()
Hash.__index, Hash.__newindex, Hash.__len = C.hashGet, C.hashSet, C.hashSize

local function hashIterator(hash)
  local cursor, next = 0, C.hashNext
  return function()
    local key, value
    cursor, key, value = next(hash, cursor or math.huge)
    return key, value
  end
end

--- Iterates over keys and values in the order of insertion. Pairs may be removed during the iteration.
function Hash.__pairs(self) return hashIterator(self) end

--- Iterates over the values at 1, 2, ... up to the first nil.
function Hash.__ipairs(self)
  local i = 0
  return function()
    i = i + 1
    local value = self[i]
    if value ~= nil then return i, value end
  end
end

iterators['tds.Hash'] = hashIterator
function Hash.__tostring__(self) return display('tds.Hash', self, 1, {}) end
Hash.__tostring = Hash.__tostring__

--- Writes it to a t7 file: the number of pairs as a long, then the keys and values.
function Hash.write(self, file)
  local pairsOf, n = {}, 0
  for key, value in hashIterator(self) do
    pairsOf[n + 1], pairsOf[n + 2] = key, value
    n = n + 2
  end
  file:writeLong(n / 2)
  for i = 1, n do file:writeObject(pairsOf[i]) end
end

--- Reads the output of `write`.
function Hash.read(self, file)
  for _ = 1, file:readLong() do
    local key = file:readObject()
    C.hashSet(self, key, file:readObject())
  end
end

-- Vec -----------------------------------------------------------------------------------------------------------------------------

local Vec = metatable()
local methods = {}
Vec.__len = C.vecSize

function Vec.__index(self, key)
  if type(key) == 'number' then return C.vecGet(self, key) end
  return methods[key] or Vec[key]
end

-- An index beyond the end extends the vector, with nils between.
Vec.__newindex = C.vecSet

local function vecIterator(vec, untilNil)
  local i = 0
  return function()
    i = i + 1
    if i > C.vecSize(vec) then return nil end
    local value = C.vecGet(vec, i)
    if untilNil and value == nil then return nil end
    return i, value
  end
end

--- Iterates over all positions, including those of nils.
function Vec.__pairs(self) return vecIterator(self) end

--- Iterates up to the first nil.
function Vec.__ipairs(self) return vecIterator(self, true) end

iterators['tds.Vec'] = vecIterator
function Vec.__tostring__(self) return display('tds.Vec', self, 1, {}) end
Vec.__tostring = Vec.__tostring__

--- Inserts a value before a position, or at the end.
-- @function Vec:insert
-- @int[opt] position counted from 1
-- @param value
methods.insert = C.vecInsert

--- Removes the value at a position, or the last one.
-- @function Vec:remove
-- @int[opt] position
-- @return the value
methods.remove = C.vecRemove

--- Resizes the vector to n elements: removes the rest, or adds nils.
-- @int n
function methods:resize(n)
  check.call(C.vecResize, self, check.number('resize', 'n', n))
  return self
end

local function toTable(vec)
  local t = {}
  for i, value in vecIterator(vec) do t[i] = value end
  return t
end

-- Represents nil in a table for sorting, since table.sort doesn't support holes.
local hole = {}
local function orNil(value) if value ~= hole then return value end end

--- Sorts numbers or strings in ascending order, or by a function.
-- @tparam[opt] function less as for table.sort; its arguments may be nil if elements are nil
function methods:sort(less)
  if less then
    if type(less) ~= 'function' then error('sort: less: ' .. class.type(less) .. ', expected a function', 2) end
    local sorted = toTable(self)
    for i = 1, C.vecSize(self) do
      if sorted[i] == nil then sorted[i] = hole end
    end
    table.sort(sorted, function(a, b) return less(orNil(a), orNil(b)) end)
    for i, value in ipairs(sorted) do C.vecSet(self, i, orNil(value)) end
  else
    C.vecSort(self)
  end
  return self
end

--- Concatenates the strings and numbers from first to last, like table.concat.
-- @string[opt=''] separator
-- @int[opt=1] first
-- @int[opt] last default: the size
function methods:concat(separator, first, last)
  local pieces, n = {}, 0
  first, last = check.number('concat', 'first', first or 1), check.number('concat', 'last', last or C.vecSize(self))
  for i = first, last do
    n = n + 1
    pieces[n] = C.vecGet(self, i)
    local kind = type(pieces[n])
    if kind ~= 'string' and kind ~= 'number' then
      error(('concat: element %d: %s, expected a string or number'):format(i, class.type(pieces[n])), 2)
    end
  end
  return table.concat(pieces, separator and check.text('concat', 'separator', separator))
end

--- Writes it to a t7 file: its size as a long, then the elements.
function Vec.write(self, file)
  local elements, n = toTable(self), C.vecSize(self)
  file:writeLong(n)
  for i = 1, n do file:writeObject(elements[i]) end
end

--- Reads the output of `write`.
function Vec.read(self, file)
  for i = 1, file:readLong() do C.vecSet(self, i, file:readObject()) end
end

-- AtomicCounter -------------------------------------------------------------------------------------------------------------------

local Counter = metatable()
Counter.__index = Counter

--- Adds n, 1 by default, and returns the new value.
-- @int[opt=1] n
function Counter:inc(n) return C.counterAdd(self, check.number('inc', 'n', n or 1)) end

--- Subtracts n, 1 by default, and returns the new value.
function Counter:dec(n) return C.counterAdd(self, -check.number('dec', 'n', n or 1)) end

--- The value.
-- @function AtomicCounter:get
Counter.get = C.counterGet

--- Sets the value.
-- @int value
function Counter:set(value) return C.counterSet(self, check.number('set', 'value', value)) end

function Counter.__tostring__(self) return ('tds.AtomicCounter[%s]'):format(tostring(C.counterGet(self))) end
Counter.__tostring = Counter.__tostring__

function Counter.write(self, file) file:writeLong(C.counterGet(self)) end
function Counter.read(self, file) C.counterSet(self, file:readLong()) end

-- Constructors --------------------------------------------------------------------------------------------------------------------

local newHash, newVec

local function isPlain(value) return type(value) == 'table' and not class.typename(value) end

-- A key of a table besides its positions 1, 2, ..., #t; nil if there is none.
local function keyOutsideArray(t)
  local n = #t
  for key in pairs(t) do
    if type(key) ~= 'number' or key < 1 or key > n or key % 1 ~= 0 then return key end
  end
end

--- An empty hash, or one with the pairs of a table; tables in it become hashes.
-- @tparam[opt] table t
function newHash(t)
  if t ~= nil and type(t) ~= 'table' and not (type(t) == 'userdata' and (debug.getmetatable(t) or {}).__pairs) then
    check.raise('tds.Hash: t: ' .. class.type(t) .. ', expected a table')
  end
  local hash = C.newHash()
  if t ~= nil then
    for key, value in pairs(t) do check.call(C.hashSet, hash, key, isPlain(value) and newHash(value) or value) end
  end
  return hash
end

-- Converts a table inside a vector: to a hash if it has keys besides positions.
local function nested(t)
  if keyOutsideArray(t) ~= nil then return newHash(t) end
  return newVec(t)
end

--- A vector of the arguments, or of the elements of a single array; arrays inside become vectors, other tables hashes.
-- @param ... elements, or one table
-- @raise if the table has keys besides its positions, which a vector can't store
function newVec(...)
  local vec, n = C.newVec(), select('#', ...)
  local elements = { ... }
  if n == 1 and isPlain(elements[1]) then
    elements, n = elements[1], #elements[1]
    local key = keyOutsideArray(elements)
    if key ~= nil then check.raise(('tds.Vec: table: key %s, expected an array'):format(tostring(key))) end
  end
  for i = 1, n do
    local element = elements[i]
    check.call(C.vecSet, vec, i, isPlain(element) and nested(element) or element)
  end
  return vec
end

-- A counter that starts at a value, 0 by default.
local function newCounter(value) return C.newCounter(check.number('tds.AtomicCounter', 'value', value or 0)) end

class.register('tds.Hash', Hash, newHash, nil, tds, C.newHash)
class.register('tds.Vec', Vec, newVec, nil, tds, C.newVec)
class.register('tds.AtomicCounter', Counter, newCounter, nil, tds)
C.setClasses(Hash, Vec, Counter)
tds.hash, tds.vec, tds.atomic_counter = tds.Hash, tds.Vec, tds.AtomicCounter      -- older names

-- The class system sets operators that look up hooks in tables; these replace them.
Hash.__len, Vec.__len = C.hashSize, C.vecSize

extensions.register('classes.tds', function(name) return name end)
extensions.register('addresses.tds', {
  ['tds.Hash'] = { 'container', 0 }, ['tds.Vec'] = { 'container', 1 }, ['tds.AtomicCounter'] = { 'container', 2 },
})

return tds
