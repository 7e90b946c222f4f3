--- Ranks of values, classes of numbers, and the rows with the largest. Methods of `data.Frame`.
-- @module data.frame.ranks
local torch = require 'torch'
local check = require 'torch.check'
local aggregates = require 'data.frame.aggregates'
local column = require 'data.frame.column'
local keys = require 'data.frame.keys'
local loops = require 'data.frame.loops'

local ranks = {}

local nan = 0 / 0

-- For each code the number of rows with smaller codes, and with it.
local function counts(codes, most)
  local own = torch.IntTensor(most + 2):zero()
  local c, p = codes:data(), own:data()
  for i = 0, codes:nElement() - 1 do p[c[i]] = p[c[i]] + 1 end
  local before = torch.IntTensor(most + 2):zero()
  local b = before:data()
  for code = 2, most do b[code] = b[code - 1] + p[code - 1] end
  return before, own
end

--- The ranks of a column's values, from 1 for the smallest. Missing values have none.
-- @function rank
-- @tparam string|int which
-- @tparam[opt] table options
--
-- - `method`: of equal values: 'average' (default), 'min', 'max', 'first' (in the order of the rows) or 'dense' (without gaps)
-- - `descending`: true gives 1 to the largest
-- - `share`: true divides by the number of values, or by the largest rank for 'dense'
-- @treturn torch.DoubleTensor NaN for missing values
-- @usage frame:assign { place = frame:rank('time', { method = 'min' }) }
function ranks.rank(self, which, options)
  local op = 'data.Frame:rank'
  options = check.options(op, options, { 'method', 'descending', 'share' })
  local method = check.choice(op, 'method', options.method or 'average', { 'average', 'min', 'max', 'first', 'dense' })
  for _, flag in ipairs { 'descending', 'share' } do check.flag(op, flag, options[flag]) end
  local codes, most = keys.of(self:_record(select(2, self:column(which))), true)
  local n, known = codes:nElement(), 0
  local c = codes:data()
  for i = 0, n - 1 do
    if c[i] ~= 0 then
      known = known + 1
      if options.descending then c[i] = most + 1 - c[i] end
    end
  end
  local before, own = counts(codes, most)
  local b, k, seen = before:data(), own:data(), torch.IntTensor(most + 2):zero()
  local s, result = seen:data(), torch.DoubleTensor():resize(n)
  local r = result:data()
  for i = 0, n - 1 do
    local code = c[i]
    if code == 0 then
      r[i] = nan
    elseif method == 'dense' then
      r[i] = code
    elseif method == 'first' then
      s[code] = s[code] + 1
      r[i] = b[code] + s[code]
    elseif method == 'min' then
      r[i] = b[code] + 1
    elseif method == 'max' then
      r[i] = b[code] + k[code]
    else
      r[i] = b[code] + (k[code] + 1) / 2
    end
  end
  return options.share and result:div(method == 'dense' and most or known) or result
end

local function extreme(op, descending)
  return function(self, n, by)
    check.int(op, 'n', n, { min = 0 })
    check.that(by ~= nil, op .. ': by: expected the name of a column or a list of names')
    local first = self:_named(by)[1]
    return self:dropMissing(first):sort(by, { descending = descending }):head(n)
  end
end

--- The rows with the largest values of a column; of several columns, the later ones decide between equal values.
-- @function nlargest
-- @int n number of rows
-- @tparam string|int|{string|int,...} by
-- @treturn data.Frame the largest first
ranks.nlargest = extreme('data.Frame:nlargest', true)

--- The rows with the smallest values of a column.
-- @function nsmallest
-- @int n number of rows
-- @tparam string|int|{string|int,...} by
-- @treturn data.Frame the smallest first
ranks.nsmallest = extreme('data.Frame:nsmallest', false)

-- A number for a label, rounded to some digits after the first one that isn't 0.
local function shown(x, digits)
  if x - x ~= 0 then return x > 0 and 'inf' or '-inf' end
  local whole, part = math.modf(x)
  if whole == 0 and part ~= 0 then digits = digits - 1 - math.floor(math.log10(math.abs(part))) end
  return (('%.' .. math.max(0, math.min(digits, 17)) .. 'f'):format(x):gsub('(%..-)0+$', '%1'):gsub('%.$', ''):gsub('^%-0$', '0'))
end

local function labelsOf(op, edges, right, lowest, labels)
  local list = {}
  if labels ~= nil then
    check.that(#check.table(op, 'labels', labels) == #edges - 1, ('%s: labels: %d, expected one for each of %d classes'):format(op, #labels,
      #edges - 1))
    for i, text in ipairs(labels) do list[i] = check.text(op, ('labels[%d]'):format(i), text) end
    return list
  end
  for digits = 3, 17 do      -- more until all differ
    for i = 1, #edges - 1 do
      local low = i == 1 and lowest and edges[1] - 10 ^ -digits or edges[i]
      list[i] = ('%s%s, %s%s'):format(right and '(' or '[', shown(low, digits), shown(edges[i + 1], digits), right and ']' or ')')
    end
    local same, seen = false, {}
    for _, text in ipairs(list) do same, seen[text] = same or seen[text] == true, true end
    if not same then return list end
  end
  return list
end

-- The numbers of the classes of values: those between two edges, of which the right or the left one belongs to the class.
local function classes(x, edges, right, lowest)
  local n, count = x:nElement(), #edges - 1
  local codes = torch.LongTensor():resize(n)
  local p, c = x:data(), codes:data()
  for i = 0, n - 1 do
    local value, code = p[i], 0
    if value == value then
      local low, high = 1, count + 2      -- the first edge that is not less, or that is greater
      while low < high do
        local middle = math.floor((low + high) / 2)
        local edge = middle <= count + 1 and edges[middle] or math.huge
        if middle > count + 1 or (right and edge >= value) or (not right and edge > value) then high = middle else low = middle + 1 end
      end
      code = low - 1
      if code == 0 and lowest and right and value == edges[1] then code = 1 end
      if code > count then code = lowest and not right and value == edges[count + 1] and count or 0 end
    end
    c[i] = code
  end
  return codes
end

local function numbersOf(self, op, which)
  local _, name = self:column(which)
  check.that(column.isNumeric(self.types[name]) or self.types[name] == 'date', ('%s: %s: a column of %s, expected numbers'):format(op, name,
    self.types[name]))
  return name, column.doubles(self:_record(name))
end

local function made(self, name, x, edges, labels, right, lowest)
  local c = { type = 'category', values = classes(x, edges, right, lowest), categories = labels, ordered = true }
  return self:_of(function() return c end, { name }, self:size(), self.rowNames)
end

--- Numbers as classes between edges, a category with an order.
-- @function cut
-- @tparam string|int which a column of numbers or dates
-- @tparam int|{number,...} bins the edges in order, also infinite ones; or a number of classes of equal width, from the smallest value to
-- the largest
-- @tparam[opt] table options `labels` (default: the edges, such as '(4, 6]'); `right`: whether the right edge belongs to a class, rather
-- than the left (true); `includeLowest`: whether the first edge does, too
-- @treturn data.Frame of one column; numbers outside the edges are missing
-- @usage frame:assign { size = frame:cut('length', { 0, 4, 6, math.huge }, { labels = { 'small', 'medium', 'large' } }) }
function ranks.cut(self, which, bins, options)
  local op = 'data.Frame:cut'
  options = check.options(op, options, { 'labels', 'right', 'includeLowest' })
  for _, flag in ipairs { 'right', 'includeLowest' } do check.flag(op, flag, options[flag]) end
  local right, lowest = options.right ~= false, options.includeLowest == true
  local name, x = numbersOf(self, op, which)
  local edges = {}
  if type(bins) == 'number' then
    check.int(op, 'bins', bins, { min = 1, max = 2 ^ 20 })
    local known = x[torch.abs(x):lt(math.huge)]
    check.that(known:nElement() > 0, ('%s: %s: no finite number, from which edges are made'):format(op, name))
    local low, high = known:min(), known:max()
    local width = (high - low) * 0.001
    if low == high then
      width = 0
      local by = low ~= 0 and 0.001 * math.abs(low) or 0.001
      low, high = low - by, high + by
    end
    for i = 0, bins do edges[i + 1] = low + (high - low) * i / bins end
    edges[bins + 1] = high
    if right then edges[1] = edges[1] - width else edges[bins + 1] = high + width end
  else
    check.that(torch.isTensor(bins) or type(bins) == 'table', ('%s: bins: %s, expected a number or edges'):format(op, check.describe(bins)))
    for i, edge in ipairs(torch.isTensor(bins) and bins:double():totable() or bins) do
      edges[i] = check.that(type(edge) == 'number' and edge == edge and edge, ('%s: bins[%d]: expected a number'):format(op, i))
      check.that(i == 1 or edge > edges[i - 1], ('%s: bins[%d]: %g, expected a larger number than the one before'):format(op, i, edge))
    end
    check.that(#edges >= 2, op .. ': bins: expected at least two edges')
  end
  return made(self, name, x, edges, labelsOf(op, edges, right, lowest and right, options.labels), right, lowest)
end

--- Numbers as classes with as many values each, a category with an order.
-- @function qcut
-- @tparam string|int which a column of numbers or dates
-- @tparam int|{number,...} q number of classes (4 for quartiles), or the shares of values below the edges, from 0 to 1
-- @tparam[opt] table options `labels` (default: the edges, such as '(4, 6]')
-- @treturn data.Frame of one column
-- @raise if two edges are equal, because a value is too frequent
function ranks.qcut(self, which, q, options)
  local op = 'data.Frame:qcut'
  options = check.options(op, options, { 'labels' })
  local name, x = numbersOf(self, op, which)
  local shares = {}
  if type(q) == 'number' then
    check.int(op, 'q', q, { min = 1, max = 2 ^ 20 })
    for i = 0, q do shares[i + 1] = i / q end
  else
    for i, share in ipairs(check.table(op, 'q', q)) do shares[i] = check.number(op, ('q[%d]'):format(i), share, { min = 0, max = 1 }) end
    check.that(#shares >= 2, op .. ': q: expected at least two shares')
  end
  local groups, edges = { codes = loops.ints(x:nElement()):fill(1), count = 1 }, {}
  for i, share in ipairs(shares) do
    edges[i] = aggregates.functions.quantile.call({ type = 'torch.DoubleTensor', values = x }, groups, share).values[1]
    check.that(edges[i] == edges[i], ('%s: %s: no value, from which edges are made'):format(op, name))
    check.that(i == 1 or edges[i] > edges[i - 1], ('%s: q: %g is the edge of two classes, expected fewer classes'):format(op, edges[i]))
  end
  return made(self, name, x, edges, labelsOf(op, edges, true, true, options.labels), true, true)
end

return ranks
