--- The base class of data sets: samples by number, and methods that return derived sets.
-- A program's class inherits from it and defines `size` and `get`. A class that can read many samples at once also defines `getBatch`; then
-- loaders call it instead.
-- @classmod data.Dataset
-- @usage local Squares = torch.class('Squares', 'data.Dataset')
-- function Squares:size() return 10 end
-- function Squares:get(i) return i * i end
-- print(Squares():filter(function(x) return x % 2 == 0 end):get(1))   --> 4
local torch, check, data = require 'torch', require 'torch.check', require 'data'

local Dataset = torch.class('data.Dataset', data)

function Dataset:__init() end

local function missing(self, name)
  check.raise(('%s: %s: the class has none, expected a method of its own'):format(torch.type(self), name))
end

--- The number of samples.
-- @treturn int
function Dataset:size() missing(self, 'size') end

--- A sample: a tensor, a number, a string, or a table of them to any depth.
-- @int index from 1 to size()
function Dataset:get(index)    -- luacheck: no unused args
  missing(self, 'get')
end

--- The samples with these numbers as one batch, as from `data.collate`; nil if the set returns only single samples.
-- @tparam torch.LongTensor indices
function Dataset:getBatch(indices)    -- luacheck: no unused args
  return nil
end

--- Raises an error unless the set has a sample with this number.
-- @treturn int the number
function Dataset:checkIndex(index)
  local size = self:size()
  if type(index) ~= 'number' or index < 1 or index > size or index % 1 ~= 0 then
    check.int(torch.type(self), 'index', index, { min = 1, max = size })
  end
  return index
end

local function following(self, last)
  local index = last + 1
  if index <= self:size() then return index, self:get(index) end
end

--- Iterates over all samples in order: `for i, sample in set:each() do ... end`.
-- @treturn function iterator
function Dataset:each() return following, self, 0 end

Dataset.isBase = true

-- The field or method with this name in a set or its class, except those that every data set inherits from a base class.
local function ownOf(set, name)
  local level = set
  while type(level) == 'table' do
    if rawget(level, name) ~= nil then return not rawget(level, 'isBase') and set[name] or nil end
    level = getmetatable(level)
  end
  if torch.isTypeOf(set, 'data.Dataset') then return nil end
  return set[name]
end

-- Whether a set (of any class) or one of the sets it wraps has a field or method with this name that doesn't come from a base class.
local function has(set, name)
  if ownOf(set, name) ~= nil then return true end
  for _, inner in ipairs(set.parts and set:parts() or {}) do
    if has(inner, name) then return true end
  end
  return false
end

local function call(set, value, ...)
  if type(value) == 'function' then return value(set, ...) end
  return value
end

-- Calls or reads it in the first set that has it.
local function run(set, name, ...)
  local value = ownOf(set, name)
  if value ~= nil then return call(set, value, ...) end
  for _, inner in ipairs(set:parts()) do
    if has(inner, name) then return run(inner, name, ...) end
  end
end

--- Calls a method of this set's class or, if the class has no method with this name, of the first wrapped set whose class has one. For a
-- field, returns its value. If no class defines the method, but all data sets have it (such as `shuffle`), calls it on this set.
-- @string name
-- @param ... arguments
-- @return the method's results
function Dataset:exec(name, ...)
  if has(self, name) then return run(self, name, ...) end
  if self[name] ~= nil then return call(self, self[name], ...) end
  check.raise(('%s: exec: %s, expected a method or field of the set or of what it is made of'):format(torch.type(self),
    tostring(name)))
end

--- The sets that this one wraps.
-- @treturn {data.Dataset,...}
function Dataset:parts() return self.datasets or { self.dataset } end

--- A set whose samples are batches of consecutive samples.
-- @int size samples per batch
-- @tparam[opt] table options as for data.BatchDataset
-- @treturn data.BatchDataset
function Dataset:batch(size, options) return data.BatchDataset(self, size, options) end

--- The samples in a random order, drawn once.
-- @tparam[opt] int|torch.Generator seed of the order; default: torch's global generator
-- @treturn data.ShuffleDataset
function Dataset:shuffle(seed) return data.ShuffleDataset(self, { seed = seed }) end

--- Random samples, drawn once.
-- @int count
-- @tparam[opt] table options `replacement` (a sample may occur twice), `seed`
-- @treturn data.ShuffleDataset
function Dataset:sample(count, options)
  options = check.options('data.Dataset.sample', options, { 'replacement', 'seed' })
  return data.ShuffleDataset(self, { size = count, replacement = options.replacement, seed = options.seed })
end

--- The samples, transformed by functions when they are read.
-- @tparam function|table transform a function of a sample and its number; or functions by the fields of the sample
-- @param[opt] key the field that the function changes
-- @treturn data.TransformDataset
function Dataset:transform(transform, key) return data.TransformDataset(self, transform, key) end

--- The samples for which a function returns true; filter calls it for every sample now.
-- @tparam function accepts a function of a sample and its number
-- @treturn data.SubsetDataset
function Dataset:filter(accepts)
  check.callable('data.Dataset.filter', 'accepts', accepts)
  local indices = {}
  for i, sample in self:each() do
    if accepts(sample, i) then indices[#indices + 1] = i end
  end
  return data.SubsetDataset(self, indices)
end

--- The samples with these numbers, in their order.
-- @tparam torch.LongTensor|table indices
-- @treturn data.SubsetDataset
function Dataset:subset(indices) return data.SubsetDataset(self, indices) end

--- The samples from number `first` to number `last`.
-- @int first
-- @int last
-- @treturn data.SubsetDataset
function Dataset:range(first, last)
  local size = self:size()
  check.int('data.Dataset.range', 'first', first, { min = 1, max = size + 1 })
  check.int('data.Dataset.range', 'last', last, { min = first - 1, max = size })
  return data.SubsetDataset(self, torch.range(1, size):long():narrow(1, first, last - first + 1))
end

--- Splits the set into consecutive parts.
-- @tparam table|number parts shares (with a sum of at most 1) or sizes: by name, as in `{ train = 0.9, test = 0.1 }`, in the order of the
-- names; or as a list or as arguments
-- @param[opt] ... more shares or sizes
-- @return a table of the parts by name; for a list or arguments, the parts themselves
function Dataset:split(parts, ...)
  if type(parts) == 'number' then return unpack(data.SplitDataset.cut(self, { parts, ... })) end
  check.table('data.Dataset.split', 'parts', parts)
  local sets = data.SplitDataset.cut(self, parts)
  if #parts > 0 then return unpack(sets) end
  return sets
end

--- Samples by numbers that a function returns.
-- @tparam[opt] function sampler (set, index) -> number; default: uniform draws
-- @int[opt] size of the new set; default: the size of this set
-- @treturn data.ResampleDataset
function Dataset:resample(sampler, size) return data.ResampleDataset(self, sampler, size) end

--- This set's samples followed by those of others.
-- @tparam data.Dataset ...
-- @treturn data.ConcatDataset
function Dataset:concat(...) return data.ConcatDataset { self, ... } end

--- Samples of several sets side by side: the i-th is the list of their i-th samples.
-- @tparam data.Dataset ...
-- @treturn data.ZipDataset
function Dataset:zip(...) return data.ZipDataset { self, ... } end

--- A cache of the samples: each is read once, for all worker threads.
-- @treturn data.CacheDataset
function Dataset:cache() return data.CacheDataset(self) end

--- A loader of batches.
-- @tparam[opt] table options as for data.DataLoader
-- @treturn data.DataLoader
function Dataset:loader(options) return data.DataLoader(self, options) end

function Dataset:__tostring__() return ('%s of %d samples'):format(torch.type(self), self:size()) end

return { Dataset = data.Dataset }
