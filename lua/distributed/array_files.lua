--- Arrays in files: shards of npy, HDF5 and CSV files, of which each rank reads and writes its own.
-- @module distributed.array
local torch = require 'torch'
local check = require 'torch.check'
local meta, group, objects = require 'distributed.array', require 'distributed.group', require 'distributed.objects'
local operation = require 'distributed.operation'

local Array, wrap, refuse = meta._class, meta._wrap, meta._refuse

local files = {}

local function refuseLoad(what) check.raise('torch.distributed.loadArray: ' .. what) end

-- By ending: `count(name, dataset)` -> the number of rows; `read(name, dataset, first, count)` -> a tensor; `write(name, dataset, x)`.
local formats = {}

formats.npy = {
  count = function(name) return select(2, torch.npy.rows(name, 1, 0)) end,
  read = function(name, _, first, count) return (torch.npy.rows(name, first, count)) end,
  write = function(name, _, x) torch.npy.save(name, x) end,
}

-- Calls f with an open HDF5 file, and closes it.
local function withFile(name, mode, f)
  local file = require('hdf5').open(name, mode)
  local results = { pcall(f, file) }
  file:close()
  if not results[1] then error(results[2], 0) end
  return results[2]
end

formats.h5 = {
  count = function(name, dataset) return withFile(name, 'r', function(file) return file:read(dataset):dataspaceSize()[1] end) end,
  read = function(name, dataset, first, count)
    return withFile(name, 'r', function(file)
      local set = file:read(dataset)
      local ranges = {}
      for d, size in ipairs(set:dataspaceSize()) do ranges[d] = { 1, size } end
      ranges[1] = { first, first + count - 1 }
      return set:partial(unpack(ranges))
    end)
  end,
  write = function(name, dataset, x) withFile(name, 'w', function(file) file:write(dataset, x) end) end,
}
formats.hdf5 = formats.h5

formats.csv = {      -- rows of text have no places of their own: a file goes to one rank
  read = function(name) return (torch.csv.load(name)) end,
  write = function(name, _, x) torch.csv.save(name, x) end,
}

local function formatOf(name, argument, say)
  local ending = type(name) == 'string' and name:lower():match '%.(%w+)$'
  local format = ending and formats[ending]
  if not format then say(('%s: %s, expected a name that ends in .npy, .h5, .hdf5 or .csv'):format(argument, check.describe(name))) end
  return format
end

local function formatOfFile(name) return formatOf(name, 'names', refuseLoad) end

-- Returns the names of a pattern's files, 1, 2, ..., or of a list.
local function namesOf(given)
  if type(given) == 'table' then return given end
  if type(given) ~= 'string' then
    refuseLoad(('names: %s, expected a name, a pattern with %%d, or a list'):format(torch.type(given)))
  end
  if not given:find '%%%d*d' then return { given } end
  local names = {}
  while true do
    local name = given:format(#names + 1)
    local file = io.open(name, 'rb')
    if not file then break end
    file:close()
    names[#names + 1] = name
  end
  if #names == 0 then refuseLoad(('names: no file %s, expected one'):format(given:format(1))) end
  return names
end

-- Returns the numbers of rows of files, or nil if only reading them tells.
local function countsOf(names, dataset)
  local counts = {}
  for i, name in ipairs(names) do
    local format = formatOfFile(name)
    if not format.count then return nil end
    counts[i] = format.count(name, dataset)
  end
  return counts
end

-- Collects rows in memory for all of them, or, without their number, in a list.
local function collector(total)
  local all, parts, at = nil, {}, 0
  local function add(part)
    if not total or part:size(1) == total then
      parts[#parts + 1] = part
      return
    end
    if not all then
      local sizes = part:size()
      sizes[1] = total
      all = part.new():resize(sizes)
    end
    all:narrow(1, at + 1, part:size(1)):copy(part)
    at = at + part:size(1)
  end
  return add, function() return all or #parts > 1 and torch.cat(parts, 1) or parts[1] end
end

local block = 65536      -- rows that are read at once

-- Returns the rows of files that belong to a rank; nil if there are none.
local function readRows(names, dataset, counts, place, n)
  local add, result
  if counts then
    local total, before = 0, 0
    for _, count in ipairs(counts) do total = total + count end
    local shares = meta._even(total, n)
    for i = 1, place - 1 do before = before + shares[i] end
    local first, last, at = before + 1, before + shares[place], 0
    add, result = collector(shares[place])
    for i, name in ipairs(names) do
      local from, to = math.max(first - at, 1), math.min(last - at, counts[i])
      for row = from, to, block do add(formatOfFile(name).read(name, dataset, row, math.min(block, to - row + 1))) end
      at = at + counts[i]
    end
  else
    local shares, at = meta._even(#names, n), 0
    add, result = collector()
    for i = 1, place - 1 do at = at + shares[i] end
    for i = at + 1, at + shares[place] do add(formatOfFile(names[i]).read(names[i])) end
  end
  return result()
end

--- Reads an array from files, whose rows follow one another. Ranks read equally many rows of npy and HDF5 files, wherever these begin and
-- end, and whole CSV files. No rank reads the rows of another.
-- @param names a name, a pattern with %d, which stands for 1, 2, ..., or a list of names, that end in .npy, .h5, .hdf5 or .csv
-- @tparam[opt] table settings `dataset` of HDF5 files ('x'), `group`
-- @treturn Array
-- @raise on all ranks, if one can't read its files
function files.load(names, settings)
  settings = check.options('torch.distributed.loadArray', settings, { 'dataset', 'group' })
  local ranks, dataset = group.of('loadArray', settings), settings.dataset or 'x'
  local done, shard = pcall(function()
    names = namesOf(names)
    return readRows(names, dataset, countsOf(names, dataset), ranks:rank() + 1, ranks:size())
  end)
  local isSome = done and shard and shard:size(1) > 0
  local mine = done and { like = isSome and shard:narrow(1, 1, 1):clone() or nil } or { problem = operation.problem(shard) }
  local like
  for i, each in ipairs(objects.allGatherObject(mine, { group = ranks })) do
    if each.problem then refuseLoad(('rank %d: %s'):format(ranks.ranks[i], each.problem)) end
    like = like or each.like
  end
  if not like then refuseLoad('names: files without rows, expected one or more') end
  if not isSome then
    local sizes = like:size()
    sizes[1] = 0
    shard = like.new():resize(sizes)
  end
  return meta._new(shard, { group = ranks })
end

--- Writes each rank's rows to a file of its own, which `loadArray` reads again, on any number of ranks.
-- @string pattern a name with %d, which stands for the rank's number from 1 among the ranks of the group, and ends as for `loadArray`
-- @tparam[opt] table settings `dataset` of HDF5 files ('x')
-- @raise on all ranks, if one can't write
function Array:save(pattern, settings)
  settings = check.options('torch.distributed.array: save', settings, { 'dataset' })
  local done, problem = pcall(function()
    local format = formatOf(pattern, 'pattern', function(what) refuse('save', what) end)
    if not pattern:find '%%%d*d' then refuse('save', ('pattern: %s, expected a name with %%d'):format(pattern)) end
    format.write(pattern:format(self._group:rank() + 1), settings.dataset or 'x', self._shard)
  end)
  for i, each in ipairs(objects.allGatherObject(done or operation.problem(problem), { group = self._group })) do
    if each ~= true then refuse('save', ('rank %d: %s'):format(self._group.ranks[i], each)) end
  end
end

--- Spreads the rows of a tensor of one rank over all.
-- @tparam ?torch.Tensor x on the source
-- @int[opt=0] source a rank
-- @tparam[opt] table settings `group`
-- @treturn Array
-- @raise on all ranks, if the source has no tensor with rows
function files.scatter(x, source, settings)
  settings = check.options('torch.distributed.scatterArray', settings, { 'group' })
  local ranks = group.of('scatterArray', settings)
  source = source or ranks.ranks[1]
  group.place('scatterArray', 'source', ranks, source)
  local isSource = group.world:rank() == source
  local problem = isSource and meta._shardProblem(x)
  local like = objects.broadcastObject(isSource and (problem or { x:type(), x:size():totable() }) or nil, source, { group = ranks })
  if type(like) == 'string' then check.raise('torch.distributed.scatterArray: x: ' .. like) end
  local sizes, counts = torch.LongStorage(like[2]), {}
  for i, rank in ipairs(ranks.ranks) do counts[i] = rank == source and like[2][1] or 0 end
  if not isSource then
    sizes[1] = 0
    x = torch[like[1]:sub(7)]():resize(sizes)
  end
  return wrap(x, counts, ranks):redistribute()
end

return files
