--- Checkpoints that all ranks write and read together, each its share, for any number of ranks.
--
-- A checkpoint is a folder. The file `manifest` says what there is, with checksums, and names a folder `data-N` inside, where each rank has
-- written a file of elements. Saving writes a new folder `data-N`, then replaces the manifest by a rename, and then removes the former
-- folder: at any moment, the manifest's data are complete.
-- @module distributed.checkpoint
local ffi = require 'ffi'
local torch, C, check, paths = require 'torch', require 'libmoontorch', require 'torch.check', require 'paths'
local group, objects, operation = require 'distributed.group', require 'distributed.objects', require 'distributed.operation'
local shard, plan = require 'distributed.shard', require 'distributed.checkpoint_plan'
assert(torch.File)      -- loads the files of the format
local atomic, checked, libc = require 'torch.file.atomic', require 'torch.file.checked', require 'torch.file.libc'

jit.off(true, true)      -- as in distributed.checkpoint_plan

local checkpoint = {}

local version, kind, dataPattern = 1, 'manifest', '^data%-%d+$'

local function manifestOf(folder) return folder .. '/manifest' end
local function shardOf(folder, data, rank) return ('%s/%s/shard-%05d'):format(folder, data, rank) end

local function start(name, folder, options)
  local where = 'torch.distributed.' .. name
  options = check.options(where, options, { 'group' })
  local ranks = group.of(name, options)
  check.that(check.name(where, 'folder', folder) ~= '', where .. ": folder: '', expected the name of a folder")
  return where, ranks, { group = options.group }
end

-- Calls a function on each rank, and raises the first rank's error on all, after `clean` on the first rank.
local function together(options, ranks, clean, f, ...)
  local done, value = pcall(f, ...)
  local problem = not done and operation.problem(value)
  for place, other in ipairs(objects.allGatherObject(problem, options)) do
    if other then
      if clean and ranks:rank() == 0 then clean() end
      check.raise(ranks:size() > 1 and ('%s (rank %d)'):format(other, ranks.ranks[place]) or other)
    end
  end
  return value
end

-- Calls a function on the first rank; returns its result on all.
local function onFirst(options, ranks, clean, f)
  local value
  together(options, ranks, clean, function()
    if ranks:rank() == 0 then value = f() end
  end)
  return objects.broadcastObject(value, ranks.ranks[1], options)
end

-- The checksum of a tensor's bytes.
local function checksum(x)
  local sum, bytes, size = 0, ffi.cast('const char *', x:data()), x:nElement() * x:elementSize()
  for first = 0, size - 1, 2 ^ 20 do sum = C.crc32c(ffi.string(bytes + first, math.min(2 ^ 20, size - first)), sum) end
  return sum
end

local function foldersIn(folder)
  local list = {}
  for _, name in ipairs(paths.dirp(folder) and paths.dir(folder) or {}) do
    if name:match(dataPattern) then list[#list + 1] = name end
  end
  return list
end

local function makeFolder(where, name)
  if not paths.dirp(name) and not paths.mkdir(name) and not paths.dirp(name) then
    check.raise(('%s: %s: the folder can not be created'):format(where, name))
  end
end

-- Creates the folder of the new files; returns its name.
local function prepare(where, folder)
  local highest = 0
  for _, name in ipairs(foldersIn(folder)) do highest = math.max(highest, tonumber(name:match '%d+')) end
  local data = ('data-%d'):format(highest + 1)
  makeFolder(where, folder)
  makeFolder(where, folder .. '/' .. data)
  return data
end

-- Writes a rank's pieces; returns their checksums.
local function writeShard(where, name, pieces, leaves)
  local sums = {}
  if not pieces then return sums end
  atomic.write(where, name, function(channel)
    for i, entry in ipairs(pieces) do
      local x = shard.range(leaves[entry.path], entry.piece.first, entry.piece.count)
      sums[i] = checksum(x)
      local _, message = channel:write(ffi.cast('const char *', x:data()), x:nElement() * x:elementSize())
      if message then error(message, 0) end
    end
  end)
  return sums
end

--- Writes a state, completely or not at all. All ranks call it: each writes its share of the bytes, and its shards.
-- @string folder of the checkpoint, which a former one may have: it stays until the new one is complete. All ranks see the same folder
-- @param state a table of tensors, shards, numbers, strings, booleans, objects with stateDict, such as modules and optimisers, and further
--   such tables. Tensors that several ranks have at a place are equal on them; other values are the first rank's
-- @tparam[opt] table options `group`
-- @raise on all ranks: if they have different kinds of values at a place, if no rank has an element of a tensor, or if a file can't be
--   written; then the former checkpoint remains
function checkpoint.save(folder, state, options)
  local where, ranks
  where, ranks, options = start('save', folder, options)
  local leaves = {}
  local tree = together(options, ranks, nil, plan.describe, where, state, '', leaves)
  tree = plan.merge(where, objects.allGatherObject(tree, options))
  local byRank = plan.divide(where, tree)
  local data = onFirst(options, ranks, nil, function() return prepare(where, folder) end)
  local function clean() paths.rmall(('%s/%s'):format(folder, data), 'yes') end
  local place = ranks:rank()
  local sums = together(options, ranks, clean, writeShard, where, shardOf(folder, data, place), byRank[place], leaves)
  for other, list in ipairs(objects.allGatherObject(sums, options)) do
    for i, sum in ipairs(list) do byRank[other - 1][i].piece.sum = sum end
  end
  onFirst(options, ranks, clean, function()
    libc.syncFolder(('%s/%s'):format(folder, data))
    checked.write(where, kind, manifestOf(folder), { version = version, data = data, tree = tree })
    for _, name in ipairs(foldersIn(folder)) do
      if name ~= data then paths.rmall(('%s/%s'):format(folder, name), 'yes') end
    end
    return true
  end)
end

-- Reads a piece into a vector.
local function readPiece(where, folder, data, path, described, piece)
  local name, x = shardOf(folder, data, piece.rank), shard.room(described, piece.count)
  local fd, message = libc.open(name, 'r')
  if not fd then check.raise(('%s: %s: %s'):format(where, name, message)) end
  local size = piece.count * x:elementSize()
  local got, problem = libc.read(fd, ffi.cast('uint8_t *', x:data()), size, piece.offset)
  libc.close(fd)
  if problem then check.raise(('%s: %s: %s'):format(where, name, problem)) end
  local words = ('elements %d to %d of %s'):format(piece.first + 1, piece.first + piece.count, path)
  if got < size then check.raise(('%s: %s: it ends in %s'):format(where, name, words)) end
  if checksum(x) ~= piece.sum then
    check.raise(('%s: %s: damaged: %s have the checksum %.0f, expected %.0f'):format(where, name, words, checksum(x), piece.sum))
  end
  return x
end

-- Calls f(elements, place) for the parts of a range that are in the pieces of a tensor.
local function eachPart(source, described, path, first, count, f)
  for _, piece in ipairs(described.pieces) do
    local from, to = math.max(first, piece.first), math.min(first + count, piece.first + piece.count)
    if from < to then
      local x = readPiece(source.where, source.folder, source.data, path, described, piece)
      f(x:narrow(1, from - piece.first + 1, to - from), from - first + 1)
    end
  end
end

-- A tensor in a checkpoint, for objects that load a part of it.
local Reference = {}
Reference.__index = Reference

--- Returns a range of the elements.
-- @int first number of elements before it
-- @int count
-- @treturn torch.Tensor a vector
function Reference:read(first, count)
  local x = shard.room(self.described, math.max(count, 1))
  eachPart(self.source, self.described, self.path, first, count, function(part, at) x:narrow(1, at, part:nElement()):copy(part) end)
  return count > 0 and x or shard.room(self.described)
end

--- Returns the number of elements.
function Reference:nElement() return shard.total(self.described) end

--- Returns the whole tensor.
function Reference:all()
  local sizes = torch.LongStorage(self.described.sizes)
  return self:nElement() > 0 and self:read(0, self:nElement()):view(sizes) or shard.room(self.described, sizes)
end

-- Returns a tree as tables; `leaf` returns the values of tensors.
local function built(source, node, path, leaf)
  if node.tensor then return leaf(setmetatable({ source = source, described = node.tensor, path = path }, Reference)) end
  if not node.table then return node.value end
  local result = {}
  for key, part in pairs(node.table) do result[key] = built(source, part, plan.below(path, key), leaf) end
  return result
end

local function itself(reference) return reference end

-- Raises an error if a state does not fit a tree.
local function compare(where, node, value, path)
  local isLeaf = torch.isTensor(value) or shard.is(value)
  if isLeaf then
    local own = shard.words(shard.describe(value))
    if not node or not node.tensor or shard.words(node.tensor) ~= own then
      check.raise(('%s: %s: %s in the checkpoint, expected %s'):format(where, path, node and node.tensor and shard.words(node.tensor)
        or node and 'no tensor' or 'nothing', own))
    end
  elseif type(value) == 'table' then
    local isObject = type(value.loadShardedStateDict) == 'function' or type(value.loadStateDict) == 'function'
    if isObject and not (node and node.table) then
      check.raise(('%s: %s: nothing in the checkpoint, expected the state of an object'):format(where, path))
    end
    for key, part in pairs(isObject and {} or value) do
      compare(where, node and node.table and node.table[key], part, plan.below(path, key))
    end
  end
end

-- Returns the value of a node, in the memory that the state has for it.
local function fill(source, node, value, path)
  local function anew() return built(source, node, path, Reference.all) end
  if torch.isTensor(value) or shard.is(value) then
    local x, first = value, 0
    if shard.is(value) then x, first = value.tensor, value.first end
    local target = C.detach(x)
    if x:isContiguous() then
      eachPart(source, node.tensor, path, first, x:nElement(), function(part, at)
        target:view(-1):narrow(1, at, part:nElement()):copy(part)
      end)
    else
      target:copy(anew())
    end
    return value
  end
  if type(value) ~= 'table' then return anew() end
  if type(value.loadShardedStateDict) == 'function' then
    value:loadShardedStateDict(built(source, node, path, itself))
  elseif type(value.loadStateDict) == 'function' then
    value:loadStateDict(anew())
  elseif node.table then
    for key, part in pairs(node.table) do value[key] = fill(source, part, value[key], plan.below(path, key)) end
  else
    return anew()
  end
  return value
end

-- Reads this rank's share of all pieces, to know before any change whether they are complete.
local function verify(source, tree, place, count)
  local number = 0
  plan.each(tree, function(described, path)
    for _, piece in ipairs(described.pieces) do
      if number % count == place then readPiece(source.where, source.folder, source.data, path, described, piece) end
      number = number + 1
    end
  end)
end

--- Reads a state. All ranks call it; there may be another number of them than there was for `save`.
-- @string folder
-- @param state a table as for `save`: its tensors and shards are written in place, of shards only the elements that they have; its objects
--   get their state by loadStateDict; other values are replaced, and those that it lacks are added. nil: all is new
-- @tparam[opt] table options `group`
-- @return the state
-- @raise on all ranks, the same message: if the checkpoint is missing, damaged, or has tensors of other types or sizes; then nothing has
--   changed, unless an object refuses its state
function checkpoint.load(folder, state, options)
  local where, ranks
  where, ranks, options = start('load', folder, options)
  local manifest = onFirst(options, ranks, nil, function()
    local found = checked.read(where, kind, manifestOf(folder))
    if found.version ~= version then
      check.raise(('%s: %s: version %s, expected %d'):format(where, folder, tostring(found.version), version))
    end
    check.that(type(found.data) == 'string' and found.data:match(dataPattern) and plan.isSound(found.tree),
      ('%s: %s: the manifest contradicts itself'):format(where, folder))
    return found
  end)
  local source = { where = where, folder = folder, data = manifest.data }
  together(options, ranks, nil, compare, where, manifest.tree, state, '')
  together(options, ranks, nil, verify, source, manifest.tree, ranks:rank(), ranks:size())
  return together(options, ranks, nil, torch.noGrad, fill, source, manifest.tree, state, '')
end

checkpoint.shard = shard.new

return checkpoint
