--- An order of elimination that creates few new entries: the approximate minimum degree, on a quotient graph with supervariables.
-- Source: P. Amestoy, T. Davis & I. Duff (1996), "An approximate minimum degree ordering algorithm", SIAM J. Matrix Anal. Appl. 17.
-- The graph has variables, the rows that wait, and elements, sets of rows that form a clique: rows eliminated before, or columns of a
-- matrix whose rows may be combined in any way (T. Davis, J. Gilbert, S. Larimore & E. Ng (2004), "A column approximate minimum degree
-- ordering algorithm", ACM Trans. Math. Softw. 30).
-- @module torch.linalg.minimum_degree
local torch, ffi = require 'torch', require 'ffi'

local Graph = {}
Graph.__index = Graph

local function ints(n, value) return torch.IntTensor(math.max(n, 1)):fill(value) end

-- Makes a graph of n variables and `count` elements. Variable i has the elements lists[first[i]] to lists[first[i] + elements[i] - 1], and
-- after them variables, `length[i]` in all. Numbers count from 0; elements follow the variables.
local function graphOf(n, count, first, length, elements, lists, used)
  local total = n + count
  local self = setmetatable({ n = n, total = total, held = {}, first = first, length = length, elements = elements, used = used }, Graph)
  local function array(size, value)
    local x = ints(size, value)
    self.held[#self.held + 1] = x
    return ffi.cast('int32_t *', x:data())
  end
  self.lists = lists
  self.weight, self.degree, self.into = array(total, 1), array(total, 0), array(total, -1)
  self.isLive = array(total, 1)                                     -- of elements: not absorbed
  self.head, self.next, self.previous = array(n + 1, -1), array(total, -1), array(total, -1)
  self.bucket, self.nextInBucket, self.hash = array(n, -1), array(n, -1), array(n, 0)
  local marks = torch.DoubleTensor(math.max(total, 1)):zero()
  self.held[#self.held + 1], self.marks, self.mark = marks, ffi.cast('double *', marks:data()), 1
  return self
end

-- Gives the lists room for `more` numbers.
function Graph:reserve(more)
  local needed = self.used + more
  if needed > self.lists:size(1) then self.lists:resize(math.floor(needed * 1.5) + 1024) end
  return ffi.cast('int32_t *', self.lists:data())
end

function Graph:link(i, degree)
  local head, next, previous = self.head, self.next, self.previous
  self.degree[i], next[i], previous[i] = degree, head[degree], -1
  if head[degree] >= 0 then previous[head[degree]] = i end
  head[degree] = i
end

function Graph:unlink(i)
  local next, previous = self.next, self.previous
  if previous[i] >= 0 then next[previous[i]] = next[i] else self.head[self.degree[i]] = next[i] end
  if next[i] >= 0 then previous[next[i]] = previous[i] end
end

-- Joins the variables beside pivot p, of its list and of its elements, in a new element: p. Marks them by negative weights.
function Graph:gather(p)
  local first, length, weight = self.first, self.length, self.weight
  local most = length[p] - self.elements[p]
  for k = 0, self.elements[p] - 1 do most = most + length[self.list[first[p] + k]] end
  local list = self:reserve(most)
  self.list = list
  local at, size = self.used, 0
  local function take(from, count)
    for k = from, from + count - 1 do
      local i = list[k]
      local w = weight[i]
      if w > 0 then
        size, weight[i], list[at] = size + w, -w, i
        at = at + 1
        self:unlink(i)
      end
    end
  end
  local start, elements, count = first[p], self.elements[p], length[p]
  take(start + elements, count - elements)
  for k = start, start + elements - 1 do
    local e = list[k]
    take(first[e], length[e])
    self.isLive[e] = 0
  end
  first[p], length[p], self.used = self.used, at - self.used, at
  return size
end

-- Computes for each element beside the new one the weight of its variables outside of it, as marks[e] - mark.
function Graph:outside(p)
  local list, first, marks, mark = self.list, self.first, self.marks, self.mark
  for k = first[p], first[p] + self.length[p] - 1 do
    local i = list[k]
    local w = -self.weight[i]
    for l = first[i], first[i] + self.elements[i] - 1 do
      local e = list[l]
      if self.isLive[e] == 1 then
        marks[e] = marks[e] >= mark and marks[e] - w or self.degree[e] + mark - w
      end
    end
  end
end

-- Updates the list and the degree of variable i beside the new element p. Returns its weight if p's elimination eliminates it, too.
function Graph:update(i, p)
  local list, first, weight, marks, mark = self.list, self.first, self.weight, self.marks, self.mark
  local start, stop, sum, hash = first[i], first[i] + self.length[i] - 1, 0, p
  local elements, at = self.elements[i], first[i]
  for k = start, start + elements - 1 do
    local e = list[k]
    if self.isLive[e] == 1 then
      local rest = marks[e] - mark
      if rest > 0 then
        sum, hash, list[at] = sum + rest, hash + e, e
        at = at + 1
      else
        self.isLive[e] = 0                                          -- all of it is within p
      end
    end
  end
  local kept = at
  for k = start + elements, stop do
    local j = list[k]
    local w = weight[j]
    if w > 0 then
      sum, hash, list[at] = sum + w, hash + j, j
      at = at + 1
    end
  end
  if sum == 0 then
    local own = -weight[i]
    self.into[i], weight[i] = p, 0
    return own
  end
  -- The new element takes the place after the other elements.
  list[at] = list[kept]
  list[kept] = p
  self.elements[i], self.length[i] = kept - start + 1, at - start + 1
  if sum < self.degree[i] then self.degree[i] = sum end
  local slot = hash % self.n
  self.hash[i], self.nextInBucket[i], self.bucket[slot] = slot, self.bucket[slot], i
  return 0
end

-- Whether variable j has the list whose members have the current mark.
function Graph:isSame(i, j)
  if self.length[i] ~= self.length[j] or self.elements[i] ~= self.elements[j] then return false end
  local list, marks, mark = self.list, self.marks, self.mark
  for k = self.first[j], self.first[j] + self.length[j] - 1 do
    if marks[list[k]] ~= mark then return false end
  end
  return true
end

-- Merges variables of the new element that have the same neighbours.
function Graph:merge(p)
  local list, first, weight, nextInBucket = self.list, self.first, self.weight, self.nextInBucket
  for k = first[p], first[p] + self.length[p] - 1 do
    local i = list[k]
    if weight[i] < 0 then
      local slot = self.hash[i]
      i, self.bucket[slot] = self.bucket[slot], -1
      while i >= 0 and nextInBucket[i] >= 0 do
        self.mark = self.mark + 1
        for l = first[i], first[i] + self.length[i] - 1 do self.marks[list[l]] = self.mark end
        local before, j = i, nextInBucket[i]
        while j >= 0 do
          if self:isSame(i, j) then
            weight[i], weight[j], self.into[j] = weight[i] + weight[j], 0, i
            nextInBucket[before] = nextInBucket[j]
          else
            before = j
          end
          j = nextInBucket[j]
        end
        i = nextInBucket[i]
      end
    end
  end
  self.mark = self.mark + 1
end

-- Returns the pivots in the order of elimination, and their number.
function Graph:pivots()
  local n, weight, degree, head, first = self.n, self.weight, self.degree, self.head, self.first
  local total, done, least, sequence, count = 0, 0, 0, ints(n, 0), 0
  for i = 0, n - 1 do total = total + weight[i] end
  local pivots = ffi.cast('int32_t *', sequence:data())
  self.list = self:reserve(0)
  while done < total do
    while head[least] < 0 do least = least + 1 end
    local p = head[least]
    self:unlink(p)
    pivots[count], count, done, weight[p] = p, count + 1, done + weight[p], 0
    local size = self:gather(p)
    self:outside(p)
    local list = self.list
    for k = first[p], first[p] + self.length[p] - 1 do
      local gone = self:update(list[k], p)
      done, size = done + gone, size - gone
    end
    self.mark = self.mark + n + 1
    self:merge(p)
    local at = first[p]
    for k = first[p], first[p] + self.length[p] - 1 do
      local i = list[k]
      if weight[i] < 0 then
        local w = -weight[i]
        weight[i], list[at] = w, i
        at = at + 1
        local d = math.max(0, math.min(degree[i] + size - w, total - done - w))
        if d < least then least = d end
        self:link(i, d)
      end
    end
    self.length[p], self.used, degree[p] = at - first[p], at, size
    if at == first[p] then self.isLive[p] = 0 end
  end
  return sequence, count
end

-- Returns the order of all variables: each pivot, then those that were eliminated with it; at last those that were left out.
function Graph:order()
  local sequence, count = self:pivots()
  local n, into, pivots, result, at = self.n, self.into, ffi.cast('int32_t *', sequence:data()), torch.LongTensor(self.n), 1
  local follower, nextFollower, isPivot = self.head, self.next, self.hash
  for i = 0, n - 1 do follower[i], isPivot[i] = -1, 0 end
  for k = 0, count - 1 do isPivot[pivots[k]] = 1 end
  for i = 0, n - 1 do
    local root = into[i]
    while root >= 0 and into[root] >= 0 do root = into[root] end
    if root >= 0 then nextFollower[i], follower[root] = follower[root], i end
  end
  local places = result:data()
  local function add(i) places[at - 1], at = i + 1, at + 1 end
  for k = 0, count - 1 do
    local i = pivots[k]
    add(i)
    i = follower[i]
    while i >= 0 do
      add(i)
      i = nextFollower[i]
    end
  end
  for i = 0, n - 1 do
    if isPivot[i] == 0 and into[i] < 0 then add(i) end
  end
  return result
end

local function entries(s)
  return { first = s:rows():data(), column = s:columns():data(), held = s, count = s:nnz() }
end

local minimumDegree = {}

-- The length of a row from which on it waits until the end.
local function dense(n) return math.max(16, 10 * math.sqrt(n)) end

--- An order for a matrix with pivots on the diagonal: of the pattern of a + a'.
-- @tparam torch.SparseCSR a (n, n), coalesced
-- @treturn torch.LongTensor (n) rows, from 1
function minimumDegree.symmetric(a)
  local n = a:size(1)
  if n == 0 then return torch.LongTensor(0) end
  local parts = { entries(a), entries(a:t():csr()) }
  local first, length, elements, seen = ints(n, 0), ints(n, 0), ints(n, 0), ints(n, -1)
  local lists = ints(2 * a:nnz(), 0)
  local starts, lengths, list, mark, at = first:data(), length:data(), lists:data(), seen:data(), 0
  for i = 0, n - 1 do
    starts[i], mark[i] = at, i
    for _, part in ipairs(parts) do
      for e = tonumber(part.first[i]) - 1, tonumber(part.first[i + 1]) - 2 do
        local j = tonumber(part.column[e]) - 1
        if mark[j] ~= i then
          mark[j], list[at] = i, j
          at = at + 1
        end
      end
    end
    lengths[i] = at - starts[i]
  end
  local graph = graphOf(n, 0, starts, lengths, elements:data(), lists, at)
  local limit = dense(n)
  for i = 0, n - 1 do
    if lengths[i] > limit then graph.weight[i] = 0 else graph:link(i, lengths[i]) end
  end
  graph.held[#graph.held + 1] = { first, length, elements }
  return graph:order()
end

--- An order of the rows of a matrix for any choice of pivots: of the pattern of a a'.
-- @tparam torch.SparseCSR a (n, m), coalesced
-- @treturn torch.LongTensor (n) rows, from 1
function minimumDegree.ofRows(a)
  local n, m = a:size(1), a:size(2)
  if n == 0 then return torch.LongTensor(0) end
  local own, columns = entries(a), entries(a:t():csr())
  local total, limit = n + m, dense(n)
  local first, length, elements, lists = ints(total, 0), ints(total, 0), ints(total, 0), ints(2 * a:nnz(), 0)
  local starts, lengths, counts, list, at = first:data(), length:data(), elements:data(), lists:data(), 0
  for c = 0, m - 1 do
    local begin, stop = tonumber(columns.first[c]), tonumber(columns.first[c + 1])
    starts[n + c] = at
    if stop - begin <= limit then
      for e = begin - 1, stop - 2 do
        list[at] = tonumber(columns.column[e]) - 1
        at = at + 1
      end
      lengths[n + c] = at - starts[n + c]
    end
  end
  for i = 0, n - 1 do
    starts[i] = at
    for e = tonumber(own.first[i]) - 1, tonumber(own.first[i + 1]) - 2 do
      local c = n + tonumber(own.column[e]) - 1
      if lengths[c] > 0 then
        list[at] = c
        at = at + 1
      end
    end
    lengths[i] = at - starts[i]
    counts[i] = lengths[i]
  end
  local graph = graphOf(n, m, starts, lengths, counts, lists, at)
  local longest = dense(m)
  for i = 0, n - 1 do
    if lengths[i] > longest then
      graph.weight[i] = 0
    else
      local degree = 0
      for k = starts[i], starts[i] + lengths[i] - 1 do degree = degree + lengths[list[k]] - 1 end
      graph:link(i, math.min(degree, n - 1))
    end
  end
  for c = 0, m - 1 do graph.degree[n + c] = lengths[n + c] end
  graph.held[#graph.held + 1] = { first, length, elements }
  return graph:order()
end

return minimumDegree
