--- Summaries of several columns of a data frame: aggregates, quantiles, correlations, tables of counts. Methods of `data.Frame`.
-- @module data.frame.summaries
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local data = require 'data'
local keys = require 'data.frame.keys'
local loops = require 'data.frame.loops'

local summaries = {}

--- The columns with their types and numbers of values.
-- @function info
-- @treturn data.Frame a row for each column: `name`, `type`, `values`, `missing`, `distinct`
-- @usage print(penguins:info())
function summaries.info(self)
  local rows, n = {}, self:size()
  for j, name in ipairs(self.names) do
    local c = self:_record(name)
    local missing = n > 0 and column.missing(c):int():sum() or 0
    rows[j] = { name = name, type = c.type:lower():match '^torch%.(%l+%d*)tensor$' or c.type, values = n - missing, missing = missing,
                distinct = not c.type:find 'Complex' and (select(2, keys.of(c, false))) or nil }
  end
  if #rows == 0 then return data.Frame({}) end
  return data.Frame.fromRows(rows, { 'name', 'type', 'values', 'missing', 'distinct' })
    :cast { values = 'long', missing = 'long', distinct = 'long' }
end

--- Values computed of all rows, as `data.Groups:aggregate` does it of groups.
-- @function aggregate
-- @tparam string|function|table what
-- @treturn data.Frame of one row
-- @usage print(flowers:aggregate { length = { 'mean', 'std' }, species = 'nunique' })
function summaries.aggregate(self, what)
  return data.Groups(self, {}, loops.ints(self:size()):fill(1), 1, self:_of(nil, {}, 1)):aggregate(what)
end

--- The numbers of distinct values of columns. Missing values are not counted.
-- @function nunique
-- @tparam[opt] string|int|{string|int,...} which columns; default: all
-- @treturn int|data.Frame the number of one column; or a frame of one row
function summaries.nunique(self, which)
  local names = self:_named(which)
  local function count(name) return (select(2, keys.of(self:_record(name), false))) end
  if which ~= nil and type(which) ~= 'table' then return count(names[1]) end
  return self:_of(function(_, name) return { type = 'torch.LongTensor', values = torch.LongTensor { count(name) } } end, names, 1)
end

--- The values below which shares of a column's values lie, interpolated linearly.
-- @function quantile
-- @tparam number|{number,...} shares from 0 to 1
-- @tparam[opt] string|int|{string|int,...} which columns of numbers or dates; default: all of numbers
-- @treturn number|data.Frame the value, of one share and column; or a frame with a row for each share, in whose column `quantile` these are
function summaries.quantile(self, shares, which)
  local op = 'data.Frame:quantile'
  local list = type(shares) == 'table' and shares or { shares }
  for i, share in ipairs(list) do
    check.number(op, type(shares) == 'table' and ('shares[%d]'):format(i) or 'shares', share, { min = 0, max = 1 })
  end
  check.that(#list > 0, op .. ': shares: expected a number from 0 to 1')
  local names = {}
  for _, name in ipairs(self:_named(which)) do
    if which ~= nil or column.isNumeric(self.types[name]) then names[#names + 1] = name end
  end
  local columns = {}
  for i, share in ipairs(list) do
    local what = {}
    for _, name in ipairs(names) do what[name] = { quantile = share } end
    columns[i] = self:aggregate(what)
  end
  if type(shares) ~= 'table' and which ~= nil and type(which) ~= 'table' then return columns[1].columns[names[1]][1] end
  local frame = data.Frame({ quantile = torch.DoubleTensor(list) })
  for _, name in ipairs(names) do
    local parts = {}
    for i = 1, #list do parts[i] = columns[i]:_record(name) end
    frame:_put(name == 'quantile' and 'quantile_2' or name, column.concat(op, parts))
  end
  return frame
end

-- The covariance of the rows where both values are known, with n - 1, and Pearson's coefficient.
local function correlation(x, y)
  local n, p, q = x:nElement(), x:data(), y:data()
  local count, meanX, meanY, xx, yy, xy = 0, 0, 0, 0, 0, 0
  for i = 0, n - 1 do
    local a, b = p[i], q[i]
    if a == a and b == b then
      count = count + 1
      local dx, dy = a - meanX, b - meanY
      meanX, meanY = meanX + dx / count, meanY + dy / count
      xx, yy, xy = xx + dx * (a - meanX), yy + dy * (b - meanY), xy + dx * (b - meanY)
    end
  end
  local covariance = count < 2 and 0 / 0 or xy / (count - 1)
  if count < 2 or xx == 0 or yy == 0 then return covariance, 0 / 0 end
  return covariance, math.max(-1, math.min(1, xy / math.sqrt(xx * yy)))
end

-- A frame of the values of a function of the names of two columns, and of these columns.
local function ofPairs(self, op, which, of)
  local names, xs = {}, {}
  for _, name in ipairs(self:_named(which)) do
    if column.isNumeric(self.types[name]) then
      names[#names + 1] = name
      xs[name] = column.doubles(self:_record(name))
    else
      check.that(which == nil, ('%s: %s: a column of %s, expected numbers'):format(op, name, self.types[name]))
    end
  end
  local frame = self:_of(nil, {}, #names, { unpack(names) })
  for _, a in ipairs(names) do
    local values = torch.DoubleTensor(#names)
    for j, b in ipairs(names) do values[j] = of(a, b, xs[a], xs[b]) end
    frame:_put(a, { type = 'torch.DoubleTensor', values = values })
  end
  return frame
end

--- Covariances of columns of numbers, of the rows in which both values are known, with n - 1.
-- @function cov
-- @tparam[opt] {string|int,...} which columns; default: all of numbers
-- @treturn data.Frame a column for each; `rowNames` has the names, too
function summaries.cov(self, which)
  return ofPairs(self, 'data.Frame:cov', which, function(_, _, x, y) return (correlation(x, y)) end)
end

--- Correlations of columns of numbers, of the rows in which both values are known.
-- @function corr
-- @tparam[opt] {string|int,...} which columns; default: all of numbers
-- @tparam[opt] table options `method`: 'pearson' (default), or 'spearman' (of ranks among all rows of a pair)
-- @treturn data.Frame a column for each; `rowNames` has the names, too
function summaries.corr(self, which, options)
  local op = 'data.Frame:corr'
  options = check.options(op, options, { 'method' })
  local method = check.choice(op, 'method', options.method or 'pearson', { 'pearson', 'spearman' })
  return ofPairs(self, op, which, function(a, b, x, y)
    if method == 'pearson' then return (select(2, correlation(x, y))) end
    local both = self:select(a == b and { a } or { a, b }):dropMissing()
    return (select(2, correlation(both:rank(a), both:rank(b))))
  end)
end

--- The numbers of rows with each pair of values of two columns.
-- @function crosstab
-- @tparam string|int|{string|int,...} index columns whose values name the rows of the result
-- @tparam string|int which the column whose values name the new columns
-- @tparam[opt] table options `normalize`: 'all', 'index' or 'columns' gives shares of all rows, of those of a row, or of a column,
-- instead of numbers
-- @treturn data.Frame
-- @usage print(penguins:crosstab('species', 'island'))
function summaries.crosstab(self, index, which, options)
  local op = 'data.Frame:crosstab'
  options = check.options(op, options, { 'normalize' })
  local normalize = options.normalize
  if normalize ~= nil then check.choice(op, 'normalize', normalize, { 'all', 'index', 'columns' }) end
  check.that(index ~= nil and which ~= nil, op .. ': index, which: expected the names of two columns')
  local indices, label = self:_named(index), select(2, self:column(which))
  check.that(#indices > 0, op .. ': index: no column, expected the name of one')
  local value = 'count'
  while self.columns[value] do value = value .. '_' end
  local counted = self:assign { [value] = torch.LongTensor():resize(self:size()):fill(1) }
  local result = counted:pivotTable { index = indices, columns = label, values = value, aggregate = 'sum', fill = 0 }
  if not normalize then return result end
  local names = { unpack(result.names, #indices + 1) }
  local counts = result:matrix(names, 'double')
  if normalize == 'all' then
    counts:div(counts:sum())
  else
    local dim = normalize == 'index' and 2 or 1
    counts:cdiv(counts:sum(dim):expandAs(counts))
  end
  local places = {}
  for j, name in ipairs(names) do places[name] = j end
  return result:_of(function(c, name)
    return places[name] and { type = 'torch.DoubleTensor', values = counts:select(2, places[name]):clone() } or c
  end, result.names, result:size())
end

return summaries
