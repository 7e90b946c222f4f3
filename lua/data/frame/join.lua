--- Joins data frames by keys, and puts frames below each other. Methods of `data.Frame`.
-- @module data.frame.join
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local data = require 'data'
local keys = require 'data.frame.keys'
local loops = require 'data.frame.loops'

local join = {}

local op = 'data.Frame:join'
local kinds = { 'inner', 'left', 'right', 'outer' }

-- The key columns of both frames.
local function keyNames(left, right, options)
  local on = options.on
  check.that(on ~= nil or options.leftOn ~= nil and options.rightOn ~= nil,
    op .. ': on: no key, expected the name of a column of both frames, or the options leftOn and rightOn')
  local lefts, rights = left:_named(on or options.leftOn), right:_named(on or options.rightOn)
  check.that(#lefts == #rights and #lefts > 0, ('%s: leftOn and rightOn: %d and %d columns, expected as many'):format(op, #lefts, #rights))
  return lefts, rights
end

-- The codes of the keys of both frames, in which equal keys have the same code.
local function codesOf(left, lefts, right, rights, sorted)
  local both = {}
  for j, name in ipairs(lefts) do
    local where = ('%s: %s and %s'):format(op, name, rights[j])
    both[j] = column.concat(where, { left:_record(name), right:_record(rights[j]) })
  end
  local codes, most = keys.ofAll(both, sorted, true)
  local n, m = left:size(), right:size()
  local function part(first, count) return count > 0 and codes:narrow(1, first, count) or loops.ints(0) end
  return part(1, n), part(n + 1, m), most
end

-- Pairs of rows with equal codes, in the order of the first, then of the second; with `whole` also first rows alone, with 0.
local function pairsOf(first, second, most, whole)
  local rows, starts = loops.sort(second, most)
  local a, s, r = first:data(), starts:data(), rows:data()
  local n, total = first:nElement(), 0
  local least = whole and 1 or 0
  for i = 0, n - 1 do total = total + math.max(s[a[i] + 1] - s[a[i]], least) end
  check.that(total < 2 ^ 31, ('%s: %.0f rows, expected fewer than 2^31'):format(op, total))
  local firsts, seconds = loops.ints(total), loops.ints(total)
  local p, q, k = firsts:data(), seconds:data(), 0
  for i = 0, n - 1 do
    local from, to = s[a[i]], s[a[i] + 1]
    for j = from, to - 1 do
      p[k], q[k] = i + 1, r[j]
      k = k + 1
    end
    if whole and from == to then
      p[k], q[k] = i + 1, 0
      k = k + 1
    end
  end
  return firsts, seconds
end

-- The rows of the second frame that no pair has.
local function alone(seconds, count)
  local used = torch.ByteTensor():resize(count + 1):zero()
  local u, q = used:data(), seconds:data()
  for k = 0, seconds:nElement() - 1 do u[q[k]] = 1 end
  return count > 0 and loops.places(used:narrow(1, 2, count):eq(0)) or loops.ints(0)
end

-- All pairs of an outer join, sorted by key.
local function outer(lefts, rights, most)
  local firsts, seconds = pairsOf(lefts, rights, most, true)
  local others = alone(seconds, rights:nElement())
  if others:nElement() > 0 then
    local none = others:clone():zero()
    firsts = firsts:nElement() > 0 and torch.cat(firsts, none, 1) or none
    seconds = seconds:nElement() > 0 and torch.cat(seconds, others, 1) or others
  end
  local codes = loops.ints(firsts:nElement())
  local c, p, q, a, b = codes:data(), firsts:data(), seconds:data(), lefts:data(), rights:data()
  for k = 0, codes:nElement() - 1 do
    if p[k] > 0 then c[k] = a[p[k] - 1] else c[k] = b[q[k] - 1] end
  end
  local order = loops.sort(codes, most):long()
  if order:nElement() == 0 then return firsts, seconds end
  return firsts:index(1, order), seconds:index(1, order)
end

local function rowsOf(how, lefts, rights, most)
  if how == 'outer' then return outer(lefts, rights, most) end
  if how == 'right' then
    local seconds, firsts = pairsOf(rights, lefts, most, true)
    return firsts, seconds
  end
  return pairsOf(lefts, rights, most, how == 'left')
end

local function hasGaps(rows) return rows:nElement() > 0 and rows:min() == 0 end

-- A common key: from the left frame, or where that has no row from the right one.
local function merged(name, first, firsts, second, seconds)
  if not hasGaps(firsts) then return column.take(first, firsts) end
  local n = column.count(first)
  local both = column.concat(('%s: %s'):format(op, name), { first, second })
  local places = firsts:clone()
  local p, q = places:data(), seconds:data()
  for k = 0, places:nElement() - 1 do
    if p[k] == 0 then p[k] = n + q[k] end
  end
  return column.take(both, places)
end

--- Joins the rows of two frames whose keys are equal; missing keys equal each other, as in pandas.
-- @function join
-- @tparam data.Frame other
-- @tparam string|{string,...}|table options the name or names of the keys, or a table:
--
-- - `on`: names of the columns of both frames; or `leftOn` and `rightOn`, if these differ
-- - `how`: 'inner' (default: pairs of rows, in the order of this frame), 'left' (also rows of this frame alone), 'right' (also rows of the
--   other alone, in its order), 'outer' (all rows, sorted by key)
-- - `suffixes`: of columns that both have and that are no keys (`{ '_x', '_y' }`)
-- @treturn data.Frame with the columns of this frame, then of the other; where a row has no partner, values are missing
-- @usage visits:join(people, { on = 'person', how = 'left' })
function join.join(self, other, options)
  check.instance(op, 'other', other, 'data.Frame')
  if type(options) == 'string' or type(options) == 'table' and options[1] ~= nil then options = { on = options } end
  options = check.options(op, options, { 'on', 'leftOn', 'rightOn', 'how', 'suffixes' })
  local how = check.choice(op, 'how', options.how or 'inner', kinds)
  local suffixes = check.table(op, 'suffixes', options.suffixes or { '_x', '_y' })
  local lefts, rights = keyNames(self, other, options)
  local leftCodes, rightCodes, most = codesOf(self, lefts, other, rights, how == 'outer')
  local firsts, seconds = rowsOf(how, leftCodes, rightCodes, most)
  local common = {}      -- keys of one name
  for j, name in ipairs(lefts) do common[name] = rights[j] == name or nil end
  local frame = data.Frame({}, {}, {}, {}, firsts:nElement())
  local function put(name, isTwice, suffix, c)
    if isTwice then name = name .. check.text(op, 'suffixes', suffix) end
    check.that(not frame.columns[name], ('%s: suffixes: %s, which two columns would have'):format(op, name))
    frame:_put(name, c)
  end
  local leftGaps, rightGaps = hasGaps(firsts), hasGaps(seconds)
  for _, name in ipairs(self.names) do
    local c = self:_record(name)
    c = common[name] and merged(name, c, firsts, other:_record(name), seconds) or column.take(c, firsts, leftGaps)
    put(name, not common[name] and other.columns[name] ~= nil, suffixes[1], c)
  end
  for _, name in ipairs(other.names) do
    if not common[name] then
      put(name, self.columns[name] ~= nil, suffixes[2], column.take(other:_record(name), seconds, rightGaps))
    end
  end
  return frame
end

local base = require('data.Dataset').concat

--- The rows of this frame followed by those of others. Columns that a frame lacks have missing values there.
-- @function concat
-- @param ... data.Frames, or a list of them. With other data sets, the result is a `data.ConcatDataset`
-- @treturn data.Frame
function join.concat(self, ...)
  local others = select('#', ...) == 1 and torch.type((...)) == 'table' and (...) or { ... }
  for _, frame in ipairs(others) do
    if torch.type(frame) ~= 'data.Frame' then return base(self, ...) end
  end
  local all, names, seen, count = { self, unpack(others) }, {}, {}, 0
  for _, frame in ipairs(all) do
    count = count + frame:size()
    for _, name in ipairs(frame.names) do
      if not seen[name] then
        seen[name] = frame:_record(name)
        names[#names + 1] = name
      end
    end
  end
  local result = data.Frame({}, {}, {}, {}, count)
  for _, name in ipairs(names) do
    local parts = {}
    for j, frame in ipairs(all) do parts[j] = frame.columns[name] and frame:_record(name) or column.gap(seen[name], frame:size()) end
    result:_put(name, column.concat('data.Frame:concat: ' .. name, parts))
  end
  return result
end

return join
