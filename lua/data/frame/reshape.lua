--- Turns values of a column into columns, and columns into rows. Methods of `data.Frame`.
-- @module data.frame.reshape
local check = require 'torch.check'
local column = require 'data.frame.column'
local cast = require 'data.frame.cast'
local data = require 'data'
local keys = require 'data.frame.keys'
local loops = require 'data.frame.loops'

local reshape = {}

-- The distinct values of a column as names of columns, in their order.
local function labelsOf(c, codes, most)
  local rows, starts = loops.sort(codes, most)
  local places = loops.ints(most)
  local p, r, s = places:data(), rows:data(), starts:data()
  for code = 1, most do p[code - 1] = r[s[code]] end
  return cast('', column.take(c, places), 'text').values
end

-- The names of new columns: the values of other columns, joined by _.
local function joinedLabels(frame, labels, codes, most)
  local parts, names = {}, {}
  for j, name in ipairs(labels) do parts[j] = labelsOf(frame:_record(name), codes, most) end
  for code = 1, most do
    local own = {}
    for j in ipairs(labels) do own[j] = parts[j][code] end
    names[code] = table.concat(own, '_')
  end
  return names
end

-- Spreads the values of a frame with one row per index and label. `prefixes` begin the names of the columns of each of several values.
local function spread(op, frame, indices, labels, values, prefixes)
  local codes, most = keys.ofAll(frame:_records(labels), true)
  local rowCodes, count = keys.ofAll(frame:_records(indices), true)
  local k, l = rowCodes:data(), codes:data()
  local places = loops.ints(count * most):zero()
  local firsts = loops.ints(count)
  local p, f = places:data(), firsts:data()
  for i = 0, rowCodes:nElement() - 1 do
    if k[i] ~= 0 and l[i] ~= 0 then
      local at = (l[i] - 1) * count + k[i] - 1
      check.that(p[at] == 0,
        ('%s: rows %d and %d have the same index and columns, expected one row for each; pivotTable takes these'):format(op, p[at], i + 1))
      p[at], f[k[i] - 1] = i + 1, i + 1
    elseif k[i] ~= 0 then
      f[k[i] - 1] = i + 1
    end
  end
  local result, names = frame:select(indices):_taken(firsts), joinedLabels(frame, labels, codes, most)
  for v, value in ipairs(values) do
    for j, name in ipairs(names) do
      if #values > 1 then name = ('%s_%s'):format(prefixes[v], name) end
      local own = places:narrow(1, (j - 1) * count + 1, count):clone()
      check.that(not result.columns[name], ('%s: %s, which two columns would have'):format(op, name))
      result:_put(name, column.take(frame:_record(value), own, own:min() == 0))
    end
  end
  return result
end

-- The options, and the names of the columns of the index, of the labels and of the values.
local function partsOf(self, op, options, others)
  options = check.options(op, options, { 'index', 'columns', 'values', unpack(others) })
  local lists = {}
  for j, name in ipairs { 'index', 'columns', 'values' } do
    check.that(options[name] ~= nil, ('%s: %s: nil, expected the name of a column'):format(op, name))
    lists[j] = self:_named(options[name])
    check.that(#lists[j] > 0, ('%s: %s: no column, expected the name of one'):format(op, name))
  end
  return options, lists[1], lists[2], lists[3]
end

--- Makes a column of each value of one, or of each combination of several columns' values.
-- @function pivot
-- @tparam table options `index`: columns that name the rows of the result, in whose order they are; `columns`: the column whose values name
-- the new columns, or several, whose values are joined by _; `values`: the column whose values are in them, or several, whose names and a _
-- then begin the names
-- @treturn data.Frame combinations without a row are missing values
-- @raise if two rows have the same index and column; `pivotTable` takes these
-- @usage visits:pivot { index = 'day', columns = 'station', values = 'temperature' }
function reshape.pivot(self, options)
  local op = 'data.Frame:pivot'
  local _, indices, labels, values = partsOf(self, op, options, {})
  return spread(op, self, indices, labels, values, values)
end

--- Makes columns as `pivot`, and computes one value of all rows with the same index and column.
-- @function pivotTable
-- @tparam table options `index`, `columns` and `values` as for `pivot`; `aggregate`: what `data.Groups:aggregate` takes for one column
-- ('mean'); `fill`: for combinations without a row
-- @treturn data.Frame
-- @usage penguins:pivotTable { index = 'species', columns = 'sex', values = 'mass', aggregate = 'median' }
function reshape.pivotTable(self, options)
  local op = 'data.Frame:pivotTable'
  local given, indices, labels, values = partsOf(self, op, options, { 'aggregate', 'fill' })
  local by, results, what = { unpack(indices) }, {}, {}
  for _, name in ipairs(labels) do by[#by + 1] = name end
  for j, value in ipairs(values) do
    local result = 'value' .. (j > 1 and j or '')
    while self.columns[result] or what[result] do result = result .. '_' end
    results[j], what[result] = result, { value, given.aggregate or 'mean' }
  end
  local table_ = spread(op, self:groupBy(by):aggregate(what), indices, labels, results, values)
  if given.fill == nil then return table_ end
  local fills = {}
  for j = #indices + 1, #table_.names do fills[table_.names[j]] = given.fill end
  return table_:fillMissing(fills)
end

--- Makes rows of columns: for each row of the frame and each of the columns, one with the column's name and its value.
-- @function melt
-- @tparam table options `id`: columns that stay; `values`: columns that become rows (all others); `variable` and `value`: names of the two
-- new columns ('variable', a category, and 'value')
-- @treturn data.Frame all rows of the first column come first
-- @usage wide:melt { id = 'day', variable = 'station', value = 'temperature' }
function reshape.melt(self, options)
  local op = 'data.Frame:melt'
  options = check.options(op, options, { 'id', 'values', 'variable', 'value' })
  local ids, isId, melted = options.id ~= nil and self:_named(options.id) or {}, {}, {}
  for _, name in ipairs(ids) do isId[name] = true end
  for _, name in ipairs(options.values ~= nil and self:_named(options.values) or self.names) do
    if options.values ~= nil or not isId[name] then melted[#melted + 1] = name end
  end
  check.that(#melted > 0, op .. ': values: no column, expected the name of one')
  local n = self:size()
  local rows, labels = loops.ints(n * #melted), loops.ints(n * #melted)
  local r, l = rows:data(), labels:data()
  for j = 0, #melted - 1 do
    for i = 0, n - 1 do r[j * n + i], l[j * n + i] = i + 1, j + 1 end
  end
  local frame = data.Frame({}, {}, {}, {}, n * #melted)
  local function put(name, c)
    check.that(not frame.columns[name], ('%s: %s, which two columns would have'):format(op, name))
    frame:_put(name, c)
  end
  for _, name in ipairs(ids) do put(name, column.take(self:_record(name), rows)) end
  put(check.text(op, 'variable', options.variable or 'variable'), { type = 'category', values = labels:long(), categories = melted })
  put(check.text(op, 'value', options.value or 'value'), column.concat(op, self:_records(melted)))
  return frame
end

--- Makes a row of each part of a column's texts between separators. A missing text stays a row.
-- @function explode
-- @tparam string|int which a column of texts or a category
-- @string separator
-- @treturn data.Frame the other columns have the values of the row that the part comes from
-- @usage print(films:explode('genres', '|'):valueCounts 'genres')
function reshape.explode(self, which, separator)
  local op = 'data.Frame:explode'
  local _, name = self:column(which)
  check.that(check.text(op, 'separator', separator) ~= '', op .. ': separator: an empty text, expected a separator')
  local c = self:_record(name)
  check.that(c.type == 'text' or c.type == 'category', ('%s: %s: a column of %s, expected texts'):format(op, name, c.type))
  if c.type == 'category' then c = column.texts(c) end
  local parts, rows, count, m = {}, {}, 0, c.mask and c.mask:data()
  local function add(i, part)
    count = count + 1
    parts[count], rows[count] = part, i
  end
  for i = 1, self:size() do
    local text, from = c.values[i], 1
    if m and m[i - 1] ~= 0 then
      add(i, nil)
    else
      while true do
        local first, last = text:find(separator, from, true)
        add(i, text:sub(from, (first or 0) - 1))
        if not first then break end
        from = last + 1
      end
    end
  end
  local places = loops.ints(count)
  local p = places:data()
  for j = 1, count do p[j - 1] = rows[j] end
  local exploded = column.ofList(('%s: %s'):format(op, name), parts, count)
  return self:_of(function(own, each)
    if each == name then return exploded end
    return column.take(own, places)
  end, self.names, count)
end

--- Makes a column of booleans of each value of a column. Missing values are false in all.
-- @function oneHot
-- @tparam string|int which
-- @tparam[opt] table options `prefix` of the new names (the column's name and _)
-- @treturn data.Frame the other columns, then the new ones, in the order of the values
-- @usage print(flowers:oneHot('species'):matrix())
function reshape.oneHot(self, which, options)
  local op = 'data.Frame:oneHot'
  options = check.options(op, options, { 'prefix' })
  local _, name = self:column(which)
  local prefix = check.text(op, 'prefix', options.prefix or name .. '_')
  local c = self:_record(name)
  local codes, most = keys.of(c, true)
  local frame = self:drop(name)
  for code, label in ipairs(labelsOf(c, codes, most)) do
    local own = prefix .. label
    check.that(not frame.columns[own], ('%s: %s, which two columns would have'):format(op, own))
    frame:_put(own, { type = 'torch.BoolTensor', values = codes:eq(code):type 'torch.BoolTensor' })
  end
  frame._count = self:size()
  return frame
end

--- Makes rows of columns, as `melt`, but with the rows of each row together.
-- @function stack
-- @tparam table options as for `melt`
-- @treturn data.Frame
function reshape.stack(self, options)
  local op = 'data.Frame:stack'
  options = check.options(op, options, { 'id', 'values', 'variable', 'value' })
  local place = 'row'
  while self.columns[place] do place = place .. '_' end
  local ids = options.id ~= nil and { unpack(self:_named(options.id)) } or {}
  local values = options.values
  if values == nil then
    local isId = {}
    for _, name in ipairs(ids) do isId[name] = true end
    values = {}
    for _, name in ipairs(self.names) do
      if not isId[name] then values[#values + 1] = name end
    end
  end
  ids[#ids + 1] = place
  local numbered = self:assign { [place] = loops.range(1, self:size()) }
  local long = numbered:melt { id = ids, values = values, variable = options.variable, value = options.value }
  return long:sort(place):drop(place)
end

return reshape
