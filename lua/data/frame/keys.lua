--- Numbers the distinct values of columns: what sorting, groups, joins and the removal of duplicates are made of.
-- The numbers, or codes, are an IntTensor from 1 to their count; 0 represents missing values.
-- @module data.frame.keys
local ffi = require 'ffi'
local bit = require 'bit'
local torch = require 'torch'
local column = require 'data.frame.column'
local loops = require 'data.frame.loops'

local keys = {}

local words = ffi.typeof 'const int32_t *'
local band, bxor, rol, rshift, tobit = bit.band, bit.bxor, bit.rol, bit.rshift, bit.tobit

-- Gives codes their order: `order` lists the former codes.
local function renumber(codes, order)
  local ranks = torch.IntTensor(#order + 1):zero()
  local r, c = ranks:data(), codes:data()
  for rank, code in ipairs(order) do r[code] = rank end
  for i = 0, codes:nElement() - 1 do c[i] = r[c[i]] end
  return codes
end

-- Codes of texts.
local function ofTexts(values, sorted)
  local n, count = #values, 0
  local codes, known, distinct = loops.ints(n), {}, {}
  local c = codes:data()
  for i = 1, n do
    local text = values[i]
    local code = known[text]
    if not code then
      count = count + 1
      distinct[count], code = text, count
      known[text] = code
    end
    c[i - 1] = code
  end
  if not sorted then return codes, count end
  table.sort(distinct)
  local order = {}
  for i, text in ipairs(distinct) do order[i] = known[text] end
  return renumber(codes, order), count
end

-- Codes of whole numbers in a range that is not much larger than their count: a table has a place for each.
local function ofRange(p, n, low, size)
  local codes, table_ = loops.ints(n), torch.IntTensor(size):zero()
  local c, t = codes:data(), table_:data()
  for i = 0, n - 1 do
    local x = p[i]
    if x == x then t[tonumber(x - low)] = 1 end
  end
  local count = 0
  for i = 0, size - 1 do
    if t[i] ~= 0 then
      count = count + 1
      t[i] = count
    end
  end
  for i = 0, n - 1 do
    local x = p[i]
    if x == x then c[i] = t[tonumber(x - low)] else c[i] = 0 end
  end
  return codes, count
end

-- Mixes the words of a number. The products stay below 2^51, up to which `tobit` is exact.
local function hash(low, high)
  local h = bxor(low, rol(low, 11), rol(high, 15))
  h = tobit(bxor(h, rshift(h, 15)) * 0x2f0b5)
  h = tobit(bxor(h, rshift(h, 13)) * 0x1e35d)
  return bxor(h, rshift(h, 16))
end

-- Codes of any numbers of 64 bits, in the order of their occurrence, by a table with open addressing; and the row of each, from 0.
local function ofHash(p, n)
  local size = 16
  while size < 2 * n do size = size * 2 end
  local mask = size - 1
  local codes, slots, firsts = loops.ints(n), torch.IntTensor(size):zero(), loops.ints(n)
  local c, s, f, w = codes:data(), slots:data(), firsts:data(), ffi.cast(words, p)
  local count = 0
  for i = 0, n - 1 do
    local x = p[i]
    if x ~= x then
      c[i] = 0
    else
      local h = band(hash(w[2 * i], w[2 * i + 1]), mask)
      while s[h] ~= 0 and p[f[s[h] - 1]] ~= x do h = band(h + 1, mask) end
      if s[h] == 0 then
        f[count] = i
        count = count + 1
        s[h] = count
      end
      c[i] = s[h]
    end
  end
  return codes, count, firsts:resize(count)
end

-- Codes of numbers.
local function ofNumbers(x, sorted)
  local n = x:nElement()
  if n == 0 then return loops.ints(0), 0 end
  local isWhole = torch.isTypeOf(x, 'torch.LongTensor')
  local known = not isWhole and x:ne(x):max() ~= 0 and x[x:eq(x)] or x
  local count = known:nElement()
  if count > 0 and (isWhole or torch.eq(known, torch.floor(known)):min() ~= 0) then
    local low, high = tonumber(known:min()), tonumber(known:max())
    local span = high - low + 1
    if span <= 4 * n + 1000 and math.max(-low, high) < 2 ^ 53 then
      return ofRange(x:data(), n, isWhole and ffi.cast('int64_t', low) or low, span)
    end
  end
  if not isWhole then x = x + 0 end      -- -0 becomes 0, which has other bits
  local codes, firsts
  codes, count, firsts = ofHash(x:data(), n)
  if not sorted or count == 0 then return codes, count end
  local _, order = torch.sort(x:index(1, firsts:long() + 1), 1)
  return renumber(codes, order:totable()), count
end

-- Whether an order of names is alphabetical.
local function isSorted(names, order)
  for i = 2, #order do
    if names[order[i - 1]] >= names[order[i]] then return false end
  end
  return true
end

local orders = setmetatable({}, { __mode = 'k' })

-- The alphabetical order of a list of categories. It is kept, as a frame is often grouped more than once, and checked, as a program may
-- change the list.
local function alphabetical(list)
  local known = orders[list]
  if known and #known == #list and isSorted(list, known) then return known end
  local order, names, places = {}, {}, {}
  for i, name in ipairs(list) do order[i], names[i], places[name] = i, name, i end
  if not isSorted(list, order) then
    table.sort(names)
    for i, name in ipairs(names) do order[i] = places[name] end
  end
  orders[list] = order
  return order
end

-- Ranks of categories, NaN where missing: those from a given list have its order, others that of their names.
local function ranksOf(c, sorted)
  local order
  if sorted and not c.ordered then
    order = alphabetical(c.categories)
  else
    order = {}
    for i = 1, #c.categories do order[i] = i end
  end
  local ranks = renumber(column.codes(c):clone(), order):double()
  return ranks:maskedFill(ranks:eq(0), 0 / 0)
end

--- The codes of a column.
-- @tparam table c
-- @bool sorted whether codes have the order of the values; otherwise they are in any order
-- @treturn torch.IntTensor
-- @treturn int the largest
function keys.of(c, sorted)
  column.refuseComplex(c)
  if c.mask then
    local present = loops.places(c.mask:eq(0))
    local codes, most = keys.of(column.take({ type = c.type, values = c.values }, present), sorted)
    local all = loops.ints(c.mask:nElement()):zero()
    local a, p, q = all:data(), present:data(), codes:data()
    for j = 0, present:nElement() - 1 do a[p[j] - 1] = q[j] end
    return all, most
  end
  if c.type == 'text' then return ofTexts(c.values, sorted) end
  return ofNumbers(c.type == 'category' and ranksOf(c, sorted) or column.numbers(c), sorted)
end

-- Codes in which missing values have the last one.
local function withMissing(codes, most)
  if codes:nElement() == 0 or codes:min() > 0 then return codes, most end
  return codes:maskedFill(codes:eq(0), most + 1), most + 1
end

-- One code for the pairs of two codes; 0 if one of them is.
local function pair(first, second, secondMost, sorted)
  local n = first:nElement()
  local both = torch.DoubleTensor():resize(n)
  local a, b, p = first:data(), second:data(), both:data()
  local width, nan = secondMost + 1, 0 / 0
  for i = 0, n - 1 do
    if a[i] == 0 or b[i] == 0 then p[i] = nan else p[i] = a[i] * width + b[i] end
  end
  return ofNumbers(both, sorted)
end

--- The codes of the combinations of several columns' values, in the order of the first column, then the second, and so on.
-- @tparam {table,...} list of columns
-- @bool sorted
-- @bool whole whether missing values are values like others, which come last; otherwise the code of a row with one is 0
-- @treturn torch.IntTensor
-- @treturn int the largest
function keys.ofAll(list, sorted, whole)
  local codes, most
  for j, c in ipairs(list) do
    local own, ownMost = keys.of(c, sorted)
    if whole then own, ownMost = withMissing(own, ownMost) end
    if j == 1 then codes, most = own, ownMost else codes, most = pair(codes, own, ownMost, sorted) end
  end
  return codes, most
end

return keys
