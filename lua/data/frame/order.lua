--- Sorts and groups the rows of a data frame. Methods of `data.Frame`.
-- @module data.frame.order
local check = require 'torch.check'
local keys = require 'data.frame.keys'
local loops = require 'data.frame.loops'

local order = {}

-- For each key, whether it descends: from one boolean, a list of booleans, or a list of names.
local function directions(self, op, names, descending)
  local list = {}
  if type(descending) ~= 'table' then
    check.flag(op, 'descending', descending)
    for j = 1, #names do list[j] = descending == true end
    return list
  end
  if type(descending[1]) == 'boolean' then
    check.that(#descending == #names, ('%s: descending: %d values, expected one for each of %d columns'):format(op, #descending, #names))
    return descending
  end
  local isNamed = {}
  for _, name in ipairs(self:_named(descending)) do isNamed[name] = true end
  for j, name in ipairs(names) do
    list[j] = isNamed[name] == true
    isNamed[name] = nil
  end
  check.that(not next(isNamed), ('%s: descending: %s, expected one of the keys %s'):format(op, tostring(next(isNamed)),
    table.concat(names, ', ')))
  return list
end

-- Codes that sort as a key does: missing values last, also if it descends.
local function placesOf(codes, most, descending)
  local p = codes:data()
  for i = 0, codes:nElement() - 1 do
    local code = p[i]
    if code == 0 then p[i] = most + 1 elseif descending then p[i] = most + 1 - code end
  end
  return codes
end

--- The rows sorted by one or more columns. Rows with missing values come last; the sort is stable.
-- @function sort
-- @tparam string|int|{string|int,...} by columns, the most significant first; categories by their names, or in the order of a given list
-- @tparam[opt] table options `descending`: true, or a list of booleans, or of the names of the columns whose largest values come first
-- @treturn data.Frame
-- @usage flowers:sort({ 'species', 'length' }, { descending = { 'length' } })
function order.sort(self, by, options)
  local op = 'data.Frame:sort'
  options = check.options(op, options, { 'descending' })
  check.that(by ~= nil, 'data.Frame:sort: by: expected the name of a column or a list of names')
  local names = self:_named(by)
  local descending = directions(self, op, names, options.descending)
  local sequence
  for j = #names, 1, -1 do
    local codes, most = keys.of(self:_record(names[j]), true)
    sequence = loops.sort(placesOf(codes, most, descending[j]), most + 1, sequence)
  end
  return sequence and self:_taken(sequence) or self
end

--- Groups of rows with the same values in one or more columns. Rows with a missing value there belong to no group.
-- @function groupBy
-- @tparam string|int|{string|int,...} by columns
-- @param ... further columns, and a table of options: with `missing = true`, missing values are values like others, whose groups come last
-- @treturn data.Groups sorted by these columns
-- @usage print(flowers:groupBy('species'):aggregate { length = { 'mean', 'std' } })
function order.groupBy(self, by, ...)
  check.that(by ~= nil, 'data.Frame:groupBy: by: expected the name of a column or a list of names')
  local op, list = 'data.Frame:groupBy', type(by) == 'table' and { ... } or { by, ... }
  local options = type(list[#list]) == 'table' and table.remove(list) or nil
  options = check.options(op, options, { 'missing' })
  check.flag(op, 'missing', options.missing)
  check.that(type(by) ~= 'table' or #list == 0, op .. ': by: a list and further columns, expected one of these')
  local names = self:_named(type(by) == 'table' and by or list)
  check.that(#names > 0, 'data.Frame:groupBy: by: no column, expected the name of one')
  local codes, count = keys.ofAll(self:_records(names), true, options.missing)
  return require('data').Groups(self, names, codes, count)
end

--- The same as `groupBy`.
-- @function group
-- @param by
-- @param ... further columns
-- @treturn data.Groups
order.group = order.groupBy

return order
