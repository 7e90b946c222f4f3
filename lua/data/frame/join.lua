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
local kinds = { 'inner', 'left', 'right', 'outer', 'cross', 'semi', 'anti' }

local function isFrame(where, other)
  check.that(torch.type(other) == 'data.Frame', ('%s: other: %s, expected a data.Frame'):format(where, check.describe(other)))
end

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

-- All pairs of rows.
local function crossed(n, m)
  check.that(n * m < 2 ^ 31, ('%s: %.0f rows, expected fewer than 2^31'):format(op, n * m))
  local firsts, seconds = loops.ints(n * m), loops.ints(n * m)
  local p, q = firsts:data(), seconds:data()
  for i = 0, n - 1 do
    for j = 0, m - 1 do p[i * m + j], q[i * m + j] = i + 1, j + 1 end
  end
  return firsts, seconds
end

-- The rows of the first frame with a partner, or without one.
local function partnered(lefts, rights, most, wanted)
  local seen = torch.ByteTensor(most + 1):zero()
  local s, a, b = seen:data(), lefts:data(), rights:data()
  for j = 0, rights:nElement() - 1 do s[b[j]] = 1 end
  local mask = torch.ByteTensor():resize(lefts:nElement())
  local m = mask:data()
  for i = 0, lefts:nElement() - 1 do m[i] = s[a[i]] == wanted and 1 or 0 end
  return loops.places(mask)
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

-- The columns of both frames at pairs of rows.
local function combined(where, left, firsts, lefts, right, seconds, rights, suffixes)
  local common = {}      -- keys of one name
  for j, name in ipairs(lefts) do common[name] = rights[j] == name or nil end
  local frame = data.Frame({}, {}, {}, {}, firsts:nElement())
  local function put(name, isTwice, suffix, c)
    if isTwice then name = name .. check.text(where, 'suffixes', suffix) end
    check.that(not frame.columns[name], ('%s: suffixes: %s, which two columns would have'):format(where, name))
    frame:_put(name, c)
  end
  local leftGaps, rightGaps = hasGaps(firsts), hasGaps(seconds)
  for _, name in ipairs(left.names) do
    local c = left:_record(name)
    c = common[name] and merged(name, c, firsts, right:_record(name), seconds) or column.take(c, firsts, leftGaps)
    put(name, not common[name] and right.columns[name] ~= nil, suffixes[1], c)
  end
  for _, name in ipairs(right.names) do
    if not common[name] then
      put(name, left.columns[name] ~= nil, suffixes[2], column.take(right:_record(name), seconds, rightGaps))
    end
  end
  return frame
end

--- Joins the rows of two frames whose keys are equal; missing keys equal each other, as in pandas.
-- @function join
-- @tparam data.Frame other
-- @tparam string|{string,...}|table options the name or names of the keys, or a table:
--
-- - `on`: names of the columns of both frames; or `leftOn` and `rightOn`, if these differ
-- - `how`: 'inner' (default: pairs of rows, in the order of this frame), 'left' (also rows of this frame alone), 'right' (also rows of the
--   other alone, in its order), 'outer' (all rows, sorted by key), 'semi' (the rows of this frame with a partner, without its columns),
--   'anti' (those without one), 'cross' (all pairs of rows; no key)
-- - `suffixes`: of columns that both have and that are no keys (`{ '_x', '_y' }`)
-- @treturn data.Frame with the columns of this frame, then of the other; where a row has no partner, values are missing
-- @usage visits:join(people, { on = 'person', how = 'left' })
function join.join(self, other, options)
  isFrame(op, other)
  if type(options) == 'string' or type(options) == 'table' and options[1] ~= nil then options = { on = options } end
  options = check.options(op, options, { 'on', 'leftOn', 'rightOn', 'how', 'suffixes' })
  local how = check.choice(op, 'how', options.how or 'inner', kinds)
  local suffixes = check.table(op, 'suffixes', options.suffixes or { '_x', '_y' })
  local lefts, rights, firsts, seconds = {}, {}
  if how == 'cross' then
    check.that(options.on == nil and options.leftOn == nil and options.rightOn == nil, op .. ": on: expected no key with how = 'cross'")
    firsts, seconds = crossed(self:size(), other:size())
  else
    lefts, rights = keyNames(self, other, options)
    local leftCodes, rightCodes, most = codesOf(self, lefts, other, rights, how == 'outer')
    if how == 'semi' or how == 'anti' then return self:_taken(partnered(leftCodes, rightCodes, most, how == 'semi' and 1 or 0)) end
    firsts, seconds = rowsOf(how, leftCodes, rightCodes, most)
  end
  return combined(op, self, firsts, lefts, other, seconds, rights, suffixes)
end

local base = require('data.Dataset').Dataset.concat

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

-- For each row, the row of the other frame with the nearest key, from 1; 0 if none is near enough. `rows` are those of the other in the
-- order of their groups, then of their keys; `starts` the places of the groups.
local function nearestRows(x, codes, y, rows, starts, how)
  local n = x:nElement()
  local found = loops.ints(n):zero()
  local p, q, c, r, s, f = x:data(), y:data(), codes:data(), rows:data(), starts:data(), found:data()
  for i = 0, n - 1 do
    local value, from, to = p[i], s[c[i]], s[c[i] + 1]
    if value == value and from < to then
      local low, high = from, to      -- the first place after keys that are at most the value
      while low < high do
        local middle = math.floor((low + high) / 2)
        if q[r[middle] - 1] <= value then low = middle + 1 else high = middle end
      end
      local before = low > from and low - 1 or nil
      local after = before and q[r[before] - 1] == value and before or low < to and low or nil
      while after and after > from and q[r[after - 1] - 1] == q[r[after] - 1] do after = after - 1 end
      local place = before
      if how.direction == 'forward' then
        place = after
      elseif how.direction == 'nearest' and after and (not before or q[r[after] - 1] - value < value - q[r[before] - 1]) then
        place = after
      end
      if place and math.abs(q[r[place] - 1] - value) <= how.tolerance then f[i] = r[place] end
    end
  end
  return found
end

--- Joins each row with the row of another frame whose key is the last one that is not greater: the price at the time of a purchase.
-- @function joinAsof
-- @tparam data.Frame other
-- @tparam string|table options the key, a column of numbers or dates of both frames, or a table:
--
-- - `on`: the key; or `leftOn` and `rightOn`
-- - `by`: columns of both frames whose values must be equal
-- - `direction`: 'backward' (default), 'forward' (the first key that is not smaller) or 'nearest'
-- - `tolerance`: the largest distance of keys, in seconds for dates
-- - `suffixes`: as for `join`
-- @treturn data.Frame all rows of this frame in their order, with the columns of the other, which are missing where no key is near enough
-- @usage purchases:joinAsof(prices, { on = 'time', by = 'share', tolerance = 3600 })
function join.joinAsof(self, other, options)
  local where = 'data.Frame:joinAsof'
  isFrame(where, other)
  if type(options) == 'string' then options = { on = options } end
  options = check.options(where, options, { 'on', 'leftOn', 'rightOn', 'by', 'direction', 'tolerance', 'suffixes' })
  local direction = check.choice(where, 'direction', options.direction or 'backward', { 'backward', 'forward', 'nearest' })
  local tolerance = options.tolerance == nil and math.huge or check.number(where, 'tolerance', options.tolerance, { min = 0 })
  local lefts, rights = keyNames(self, other, { on = options.on, leftOn = options.leftOn, rightOn = options.rightOn })
  check.that(#lefts == 1, ('%s: on: %d columns, expected one'):format(where, #lefts))
  local function numbers(frame, name)
    local type_ = frame.types[name]
    check.that(column.isNumeric(type_) or type_ == 'date', ('%s: %s: a column of %s, expected numbers or dates'):format(where, name, type_))
    return column.doubles(frame:_record(name))
  end
  local x, y = numbers(self, lefts[1]), numbers(other, rights[1])
  local by = options.by ~= nil and self:_named(options.by) or {}
  local codes, others, most = loops.ints(x:nElement()):fill(1), loops.ints(y:nElement()):fill(1), 1
  if #by > 0 then codes, others, most = codesOf(self, by, other, other:_named(options.by), false) end
  local order, last = keys.of({ type = 'torch.DoubleTensor', values = y }, true)
  local o, d = order:data(), others:data()
  for j = 0, y:nElement() - 1 do
    if o[j] == 0 then d[j] = 0 end      -- no partner of any row
  end
  local rows, starts = loops.sort(others, most, (loops.sort(order, last)))
  local seconds = nearestRows(x, codes, y, rows, starts, { direction = direction, tolerance = tolerance })
  local commonLeft, commonRight = { unpack(by) }, { unpack(by) }
  if lefts[1] == rights[1] then commonLeft[#by + 1], commonRight[#by + 1] = lefts[1], rights[1] end
  local suffixes = check.table(where, 'suffixes', options.suffixes or { '_x', '_y' })
  return combined(where, self, loops.range(1, self:size()), commonLeft, other, seconds, commonRight, suffixes)
end

return join
