--- ScaLAPACK, which computes with matrices that are spread over a grid of processes in blocks, on the same MPI. Its library is opened when
-- a program first needs it.
-- @module distributed.scalapack
local ffi = require 'ffi'
local torch = require 'torch'
local check, library = require 'torch.check', require 'torch.library'
local native, operation, objects = require 'distributed.native', require 'distributed.operation', require 'distributed.objects'

local scalapack = {}

-- The arguments of the functions in Fortran, all of them pointers: c a character, whose length follows at the end; i an integer, n one that
-- is written; m a matrix, its first row and column, and its descriptor; v a vector of floats, I one of integers.
local signatures = {
  gesv = 'iimImn', potrf = 'cimn', potrs = 'ciimmn', gels = 'ciiimmvin', syevd = 'ccimvmviIin',
}
local types = { c = 'const char *', i = 'const int32_t *', n = 'int32_t *', v = 'void *', I = 'int32_t *' }
types.m = ('%s, %s, %s, %s'):format(types.v, types.i, types.i, types.i)

local names = { ['torch.FloatTensor'] = 'ps', ['torch.DoubleTensor'] = 'pd' }

local function declare()
  local lines = {
    'int mt_sys2blacs_handle(void *comm) asm("Csys2blacs_handle");',
    'void mt_blacs_gridinit(int *context, const char *order, int rows, int columns) asm("Cblacs_gridinit");',
  }
  for name, signature in pairs(signatures) do
    local list = {}
    for letter in signature:gmatch '.' do list[#list + 1] = types[letter] end
    for _ in signature:gmatch 'c' do list[#list + 1] = 'size_t' end
    for _, prefix in pairs(names) do
      lines[#lines + 1] = ('void mt_%s%s(%s) asm("%s%s_");'):format(prefix, name, table.concat(list, ', '), prefix, name)
    end
  end
  ffi.cdef(table.concat(lines, '\n'))
end

local opened

-- Opens the library; returns a message if it is missing.
local function problem(where)
  if opened then return nil end
  local done, result = pcall(library.system, 'scalapack', where)
  if not done then return result end
  declare()
  opened = result
end

-- The ranks as a grid, of about as many rows as columns: rank after rank along the rows.
local function shapeOf(count)
  local rows = math.floor(math.sqrt(count))
  while count % rows ~= 0 do rows = rows - 1 end
  return rows, count / rows
end

local grids = setmetatable({}, { __mode = 'k' })

--- Returns the grid of a group of ranks.
-- @tparam Group group
-- @treturn table `rows`, `columns`, and the place of this process, `row` and `column`, from 0
function scalapack.grid(group)
  local grid = grids[group]
  if not grid then
    local rows, columns = shapeOf(group:size())
    local place = group:rank()
    grid = { rows = rows, columns = columns, row = math.floor(place / columns), column = place % columns }
    grids[group] = grid
  end
  return grid
end

-- Makes the grid known to the library, on all ranks at once.
local function begin(group, comm)
  local grid = scalapack.grid(group)
  if grid.context then return end
  local context = ffi.new('int[1]', opened.mt_sys2blacs_handle(comm))
  opened.mt_blacs_gridinit(context, 'R', grid.rows, grid.columns)
  grid.context = context[0]
end

local one = ffi.new('int32_t[1]', 1)

-- Calls a function of Fortran. A matrix is a table of distributed.block_cyclic.
local function invoke(kind, group, name, ...)
  local given, list, lengths, info = { ... }, {}, {}, ffi.new 'int32_t[1]'
  local function add(value) list[#list + 1] = value end
  for i = 1, #signatures[name] do
    local letter, value = signatures[name]:sub(i, i), given[i]
    if letter == 'm' then
      add(value.memory:data())
      add(one)
      add(one)
      add(value:descriptor(scalapack.grid(group).context))
    elseif letter == 'n' then
      add(info)
    elseif letter == 'i' then
      add(ffi.new('int32_t[1]', value))
    else
      add(torch.isTensor(value) and value:data() or value)
      if letter == 'c' then lengths[#lengths + 1] = 1 end
    end
  end
  for _, length in ipairs(lengths) do add(length) end
  opened[('mt_%s%s'):format(names[kind], name)](unpack(list))
  check.that(info[0] >= 0, ('ScaLAPACK: %s: it refuses argument %d'):format(name, -info[0]))
  return info[0]
end

--- Raises an error on all ranks, if one lacks the library, or has calls that go on.
-- @string where the start of messages
-- @tparam Group group
-- @string what the call, which must be the same on all ranks
function scalapack.need(where, group, what)
  local own = problem(where)
  if not own and native.mt_distributed_pending() > 0 then
    own = ('%s: a call with async goes on, expected none: its handle:wait() first'):format(where)
  end
  for i, other in ipairs(objects.allGatherObject({ what = what, problem = own }, { group = group })) do
    if other.problem then
      check.raise(group:size() > 1 and ('%s (rank %d)'):format(other.problem, group.ranks[i]) or other.problem)
    end
    if other.what ~= what then check.raise(('%s: %s, expected as rank %d: %s'):format(where, what, group.ranks[i], other.what)) end
  end
end

--- Calls functions of ScaLAPACK, while the package makes no call of MPI. All ranks of the group call it, after `need`.
-- @string call for the reports of ranks
-- @string kind of the elements, 'torch.DoubleTensor' or 'torch.FloatTensor'
-- @tparam Group group
-- @tparam function f gets a function (name, ...) that calls one by its name without the letters of type, and returns its `info`
-- @return its result
function scalapack.call(call, kind, group, f)
  local comm = native.mt_distributed_hold(group._number, call, operation.line())
  local done, result = pcall(function()
    begin(group, comm)
    return f(function(...) return invoke(kind, group, ...) end)
  end)
  native.mt_distributed_release()
  if not done then error(result, 0) end
  return result
end

--- Returns whether a type of tensors is one of ScaLAPACK.
function scalapack.serves(kind) return names[kind] ~= nil end

return scalapack
