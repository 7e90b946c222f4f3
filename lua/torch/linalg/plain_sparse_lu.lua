--- LU factors of sparse matrices in plain Lua, where UMFPACK is missing: row by row, with a sparse triangular solution for each, whose
-- pattern is searched first (J. Gilbert & T. Peierls (1988), "Sparse partial pivoting in time proportional to arithmetic operations", SIAM
-- J. Sci. Stat. Comput. 9). Rows follow an order of few new entries; among the columns of a row, one of large magnitude becomes the pivot.
-- @module torch.linalg.plain_sparse_lu
local torch, ffi = require 'torch', require 'ffi'
local minimumDegree = require 'torch.linalg.minimum_degree'

-- A growing list of entries of rows: positions of 32 bits, counted from 0, as LuaJIT computes with them fastest.
local Entries = {}
Entries.__index = Entries

local function newEntries(n, room)
  local rows, columns, values = torch.DoubleTensor(n + 1), torch.IntTensor(room), torch.DoubleTensor(room)
  local self = setmetatable({ rows = rows, columns = columns, values = values }, Entries)
  self.first = ffi.cast('double *', self.rows:data())
  return self
end

-- Gives the list room for `more` entries; returns pointers to columns and values.
function Entries:reserve(used, more)
  if used + more >= 2 ^ 31 then error('a: factors with 2^31 entries or more, which only UMFPACK has', 0) end
  if used + more > self.columns:size(1) then
    local size = math.floor(1.5 * (used + more)) + 1024
    self.columns:resize(size)
    self.values:resize(size)
  end
  return ffi.cast('int32_t *', self.columns:data()), ffi.cast('double *', self.values:data())
end

function Entries:matrix(n)
  local count = self.first[n]
  return torch.SparseCSR._make(self.rows:long() + 1, self.columns:narrow(1, 1, count):long() + 1, self.values:narrow(1, 1, count), { n, n })
end

local function ints(n, value) return torch.IntTensor(math.max(n, 1)):fill(value) end

-- The search for the pattern of a row: columns of earlier pivots, each after all that change it, and other columns.
local Search = {}
Search.__index = Search

local function newSearch(n)
  local held = { ints(n, -1), ints(n, 0), ints(n, 0), ints(n, 0), ints(n, 0), ints(n, -1) }
  local arrays = {}
  for i, x in ipairs(held) do arrays[i] = ffi.cast('int32_t *', x:data()) end
  return setmetatable({ held = held, n = n, seen = arrays[1], stack = arrays[2], at = arrays[3], sorted = arrays[4], free = arrays[5],
    place = arrays[6] }, Search)
end

-- Visits a column of row k: descends to the columns of the pivot rows that it brings in.
function Search:visit(column, k, upper)
  local seen, stack, at, place, first, columns = self.seen, self.stack, self.at, self.place, upper.first, upper.pointer
  if seen[column] == k then return end
  seen[column] = k
  if place[column] < 0 then
    self.free[self.freeCount], self.freeCount = column, self.freeCount + 1
    return
  end
  local depth = 0
  stack[0], at[0] = column, first[place[column]]
  while depth >= 0 do
    local own = stack[depth]
    local e, stop, deeper = at[depth], first[place[own] + 1], false
    while e < stop do
      local next = columns[e]
      e = e + 1
      if seen[next] ~= k then
        seen[next] = k
        if place[next] < 0 then
          self.free[self.freeCount], self.freeCount = next, self.freeCount + 1
        else
          at[depth], depth = e, depth + 1
          stack[depth], at[depth], deeper = next, first[place[next]], true
          break
        end
      end
    end
    if not deeper then
      self.top = self.top - 1
      self.sorted[self.top], depth = own, depth - 1
    end
  end
end

-- Chooses the pivot among the free columns: `preferred`, if its magnitude is at least `threshold` times the largest.
local function pivotOf(search, x, preferred, threshold)
  local best, largest, preferredSize, free = -1, -1, -1, search.free
  for i = 0, search.freeCount - 1 do
    local size = math.abs(x[free[i]])
    if size > largest then best, largest = free[i], size end
    if free[i] == preferred then preferredSize = size end
  end
  if preferredSize > 0 and preferredSize >= threshold * largest then return preferred end
  return best
end

-- Factors a with rows in an order. Returns the lower and the upper factor and the order of columns; nil if the matrix is singular. Leaves
-- out elements up to `dropped` times the largest of their row.
local function factor(a, order, threshold, dropped)
  local n, search = a:size(1), newSearch(a:size(1))
  local starts, columns, values = a:rows():data(), a:columns():data(), a:values():data()
  local lower, upper = newEntries(n, 4 * a:nnz() + n), newEntries(n, 4 * a:nnz() + n)
  local work, columnOrder = torch.DoubleTensor(math.max(n, 1)):zero(), torch.LongTensor(n)
  local x, rows, place, chosen = ffi.cast('double *', work:data()), order:data(), search.place, columnOrder:data()
  local lowerUsed, upperUsed = 0, 0
  lower.first[0], upper.first[0] = 0, 0
  for k = 0, n - 1 do
    local row = tonumber(rows[k]) - 1
    local lowerColumns, lowerValues = lower:reserve(lowerUsed, k + 1)
    local upperColumns, upperValues = upper:reserve(upperUsed, n - k)
    upper.pointer, search.top, search.freeCount = upperColumns, n, 0
    local limit = 0
    for e = tonumber(starts[row]) - 1, tonumber(starts[row + 1]) - 2 do
      local column = tonumber(columns[e]) - 1
      search:visit(column, k, upper)
      x[column] = values[e]
      limit = math.max(limit, dropped * math.abs(x[column]))
    end
    for i = search.top, n - 1 do
      local column = search.sorted[i]
      local factorOfRow, pivot = x[column], place[column]
      x[column] = 0
      if math.abs(factorOfRow) > limit then
        lowerColumns[lowerUsed], lowerValues[lowerUsed], lowerUsed = pivot, factorOfRow, lowerUsed + 1
        for e = upper.first[pivot], upper.first[pivot + 1] - 1 do
          local c = upperColumns[e]
          x[c] = x[c] - factorOfRow * upperValues[e]
        end
      end
    end
    local column = pivotOf(search, x, row, threshold)
    local pivot = column >= 0 and x[column] or 0
    if pivot == 0 or pivot ~= pivot then return nil end
    place[column], chosen[k] = k, column + 1
    lowerColumns[lowerUsed], lowerValues[lowerUsed], lowerUsed = k, pivot, lowerUsed + 1
    for i = 0, search.freeCount - 1 do
      local c = search.free[i]
      local value = x[c]
      x[c] = 0
      if c ~= column and math.abs(value) > limit then
        upperColumns[upperUsed], upperValues[upperUsed], upperUsed = c, value / pivot, upperUsed + 1
      end
    end
    lower.first[k + 1], upper.first[k + 1] = lowerUsed, upperUsed
  end
  local final = ffi.cast('int32_t *', upper.columns:data())
  for e = 0, upperUsed - 1 do final[e] = place[final[e]] end
  return lower:matrix(n), upper:matrix(n), columnOrder
end

-- Whether pivots on the diagonal promise fewer entries: it has no 0, and most entries have one in the transposed place, or most of its
-- elements are large beside their row.
local function hasDiagonal(a)
  local diagonal = a:diag()
  if torch.any(diagonal:eq(0)) then return false end
  local largest = torch.segmentMax(torch.abs(a:values()), a:_owners(), a:size(1))
  if torch.ge(torch.abs(diagonal), largest * 0.1):double():mean() > 0.9 then return true end
  local ones = a:_with(torch.DoubleTensor(a:nnz()):fill(1))
  return ones:cmul(ones:t()):nnz() >= 0.5 * a:nnz()
end

local plain = {}

--- Factors a matrix.
-- @tparam torch.SparseCSR a (n, n) of doubles, coalesced
-- @number[opt=0] dropped leaves out elements up to this part of the largest of their row
-- @treturn ?table rowOrder, columnOrder, lower, upper: rows and columns of a in these orders are the product of lower, with its diagonal,
--   and upper, whose diagonal is 1 and not stored; nil if a is singular
function plain.factor(a, dropped)
  local isSymmetric = hasDiagonal(a)
  local order = isSymmetric and minimumDegree.symmetric(a) or minimumDegree.ofRows(a)
  local lower, upper, columnOrder = factor(a, order, isSymmetric and 0.1 or 1, dropped or 0)
  if not lower then return nil end
  return { rowOrder = order, columnOrder = columnOrder, lower = lower, upper = upper }
end

return plain
