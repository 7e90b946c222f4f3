--- Matrices in ScaLAPACK's layout: blocks of 64 x 64 elements, dealt to a grid of ranks in turns along the rows and along the columns. An
-- array of rows goes there and back by one exchange between all ranks.
-- Source: Blackford et al. (1997), "ScaLAPACK Users' Guide", SIAM, section 4.3.
-- @module distributed.block_cyclic
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local meta, scalapack = require 'distributed.array', require 'distributed.scalapack'

local Matrix = {}
Matrix.__index = Matrix

local block = 64

-- Returns the positions, from 1, that place number `place` of `count` has of n.
local function positions(n, place, count)
  local list = {}
  for first = place * block, n - 1, count * block do
    for i = first, math.min(first + block, n) - 1 do list[#list + 1] = i + 1 end
  end
  return #list > 0 and torch.LongTensor(list) or torch.LongTensor(0)
end

-- Returns the positions of all places.
local function all(n, count)
  local list = {}
  for place = 0, count - 1 do list[place] = positions(n, place, count) end
  return list
end

--- Returns a matrix of zeros.
-- @tparam Group group
-- @int rows
-- @int columns
-- @tparam torch.Tensor like of its type
-- @treturn table `memory`, the elements of this rank column by column; `view`, the matrix of them
function Matrix.new(group, rows, columns, like)
  local grid = scalapack.grid(group)
  local self = setmetatable({ group = group, rows = rows, columns = columns, block = block }, Matrix)
  self.rowsOf, self.columnsOf = all(rows, grid.rows), all(columns, grid.columns)
  self.height, self.width = self.rowsOf[grid.row]:size(1), self.columnsOf[grid.column]:size(1)
  check.that(self.height * self.width < 2 ^ 31, 'ScaLAPACK: 2^31 elements or more on a rank, expected fewer: more ranks')
  self.memory = like.new(math.max(1, self.width), math.max(1, self.height)):zero()
  self.view = self.memory:narrow(1, 1, self.width):narrow(2, 1, self.height):t()
  return self
end

--- Returns the library's description of the matrix.
-- @int context
function Matrix:descriptor(context)
  return ffi.new('int32_t[9]', { 1, context, self.rows, self.columns, block, block, 0, 0, self.memory:size(2) })
end

-- Returns those of sorted positions that are in a range, from its start, and how many positions are before it.
local function within(list, first, count)
  local n = list:size(1)
  if n == 0 or count == 0 then return torch.LongTensor(0), 0 end
  local ends = torch.searchsorted(list, torch.LongTensor { first, first + count })
  local from, to = ends[1], ends[2]
  if to == from then return torch.LongTensor(0), from - 1 end
  return torch.add(list:narrow(1, from, to - from), 1 - first), from - 1
end

-- Returns elements of a matrix as a vector.
local function picked(x, rows, columns)
  if rows:size(1) == 0 or columns:size(1) == 0 then return x.new(0) end
  return x:index(1, rows):index(2, columns):view(-1)
end

--- Fills the matrix with an array of its size. All ranks call it.
-- @tparam Array array
-- @treturn table self
function Matrix:fill(array)
  local grid, list, at = scalapack.grid(self.group), {}, 0
  for row = 0, grid.rows - 1 do
    local rows = within(self.rowsOf[row], array._before + 1, array._shard:size(1))
    for column = 0, grid.columns - 1 do list[#list + 1] = picked(array._shard, rows, self.columnsOf[column]) end
  end
  local before = 0
  for i, part in ipairs(meta._exchanged(array, list)) do      -- of rank i: the rows follow one another here, too
    local rows = within(self.rowsOf[grid.row], before + 1, array._counts[i]):size(1)
    before = before + array._counts[i]
    if rows > 0 and self.width > 0 then
      self.view:narrow(1, at + 1, rows):copy(part:view(rows, self.width))
      at = at + rows
    end
  end
  return self
end

--- Returns the first rows as an array. All ranks call it.
-- @tparam {int,...} counts number of rows of each rank
-- @treturn Array
function Matrix:array(counts)
  local grid, total, place, list, starts = scalapack.grid(self.group), 0, self.group:rank() + 1, {}, {}
  for i, count in ipairs(counts) do
    local rows, at = within(self.rowsOf[grid.row], total + 1, count)
    local isEmpty = rows:size(1) == 0 or self.width == 0
    list[i] = isEmpty and self.memory.new(0) or self.view:narrow(1, at + 1, rows:size(1)):contiguous():view(-1)
    starts[i], total = total, total + count
  end
  local result = meta._wrap(self.memory.new(counts[place], self.columns), counts, self.group)
  for i, part in ipairs(meta._exchanged(result, list)) do
    local row, column = math.floor((i - 1) / grid.columns), (i - 1) % grid.columns
    local rows, columns = within(self.rowsOf[row], starts[place] + 1, counts[place]), self.columnsOf[column]
    if rows:size(1) > 0 and columns:size(1) > 0 then
      -- Elements of some rows and columns: the rows first.
      local band = result._shard:index(1, rows)
      band:indexCopy(2, columns, part:view(rows:size(1), columns:size(1)))
      result._shard:indexCopy(1, rows, band)
    end
  end
  return result
end

return Matrix
