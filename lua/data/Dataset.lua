--- What all data sets have: samples by number, and the sets that can be made of a set.
-- A class of a program's own inherits and writes `size` and `get`; one that can give many samples at once writes `getBatch`, too, which
-- loaders then call instead.
-- @classmod data.Dataset
-- @usage local Squares = torch.class('Squares', 'data.Dataset')
-- function Squares:size() return 10 end
-- function Squares:get(i) return i * i end
-- print(Squares():filter(function(x) return x % 2 == 0 end):get(1))   --> 4
local torch, check, data = require 'torch', require 'torch.check', require 'data'

local Dataset = torch.class('data.Dataset', data)

function Dataset:__init() end

local function missing(self, name)
  check.raise(('%s: %s: the class has none, a method of its own was expected'):format(torch.type(self), name))
end

--- How many samples there are.
-- @treturn int
function Dataset:size() missing(self, 'size') end

--- A sample: a tensor, a number, a string, or a table of them to any depth.
-- @int index from 1 to size()
function Dataset:get(index)    -- luacheck: no unused args
  missing(self, 'get')
end

--- The samples of these numbers as one batch, as `data.collate` makes it of them; nil where the set gives samples only singly.
-- @tparam torch.LongTensor indices
function Dataset:getBatch(indices)    -- luacheck: no unused args
  return nil
end

--- Raises an error unless the set has a sample of this number.
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

--- Goes through all samples in order: `for i, sample in set:each() do ... end`.
-- @treturn function iterator
function Dataset:each() return following, self, 0 end

Dataset.isBase = true

-- The field or method of a name that is a set's or its class's own: what every data set inherits from a base class doesn't count.
local function ownOf(set, name)
  local level = set
  while type(level) == 'table' do
    if rawget(level, name) ~= nil then return not rawget(level, 'isBase') and set[name] or nil end
    level = getmetatable(level)
  end
  if torch.isTypeOf(set, 'data.Dataset') then return nil end
  return set[name]
end

-- Whether a set, which may be no data.Dataset, or what it is made of has something of a name of its own.
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

-- What to call or read there.
local function run(set, name, ...)
  local value = ownOf(set, name)
  if value ~= nil then return call(set, value, ...) end
  for _, inner in ipairs(set:parts()) do
    if has(inner, name) then return run(inner, name, ...) end
  end
end

--- Calls a method of this set's class or, where that has none of that name, of the first set that it is made of whose class has; a field is
-- given back. A method that all data sets have, such as `shuffle`, is called where no class has its own.
-- @string name
-- @param ... arguments
-- @return what the method gives
function Dataset:exec(name, ...)
  if has(self, name) then return run(self, name, ...) end
  if self[name] ~= nil then return call(self, self[name], ...) end
  check.raise(('%s: exec: %s came, a method or field of the set or of what it is made of was expected'):format(torch.type(self),
    tostring(name)))
end

--- The sets that this one is made of.
-- @treturn {data.Dataset,...}
function Dataset:parts() return self.datasets or { self.dataset } end

--- Batches of consecutive samples, a sample each.
-- @int size samples a batch
-- @tparam[opt] table options as data.BatchDataset's
-- @treturn data.BatchDataset
function Dataset:batch(size, options) return data.BatchDataset(self, size, options) end

--- The samples in an order that is drawn once.
-- @tparam[opt] int|torch.Generator seed where the order comes from; torch's own generator without one
-- @treturn data.ShuffleDataset
function Dataset:shuffle(seed) return data.ShuffleDataset(self, { seed = seed }) end

--- Some samples, drawn once.
-- @int count
-- @tparam[opt] table options `replacement` (a sample may come twice), `seed`
-- @treturn data.ShuffleDataset
function Dataset:sample(count, options)
  options = check.options('data.Dataset.sample', options, { 'replacement', 'seed' })
  return data.ShuffleDataset(self, { size = count, replacement = options.replacement, seed = options.seed })
end

--- The samples, changed by functions as they are read.
-- @tparam function|table transform of a sample, and its number; or by the sample's fields
-- @param[opt] key the field that the function changes
-- @treturn data.TransformDataset
function Dataset:transform(transform, key) return data.TransformDataset(self, transform, key) end

--- The samples of which a function says true; it is asked about each now.
-- @tparam function accepts of a sample and its number
-- @treturn data.SubsetDataset
function Dataset:filter(accepts)
  check.callable('data.Dataset.filter', 'accepts', accepts)
  local indices = {}
  for i, sample in self:each() do
    if accepts(sample, i) then indices[#indices + 1] = i end
  end
  return data.SubsetDataset(self, indices)
end

--- The samples of these numbers, in their order.
-- @tparam torch.LongTensor|table indices
-- @treturn data.SubsetDataset
function Dataset:subset(indices) return data.SubsetDataset(self, indices) end

--- The samples from one to another.
-- @int first
-- @int last
-- @treturn data.SubsetDataset
function Dataset:range(first, last)
  local size = self:size()
  check.int('data.Dataset.range', 'first', first, { min = 1, max = size + 1 })
  check.int('data.Dataset.range', 'last', last, { min = first - 1, max = size })
  return data.SubsetDataset(self, torch.range(1, size):long():narrow(1, first, last - first + 1))
end

--- Parts that follow each other.
-- @tparam table|number parts shares (at most 1 together) or sizes: by name, as `{ train = 0.9, test = 0.1 }`, in the order of the
-- names; or listed, as arguments, too
-- @param[opt] ... more of them
-- @return a table of the parts by name; of listed ones, the parts
function Dataset:split(parts, ...)
  if type(parts) == 'number' then return unpack(data.SplitDataset.cut(self, { parts, ... })) end
  check.table('data.Dataset.split', 'parts', parts)
  local sets = data.SplitDataset.cut(self, parts)
  if #parts > 0 then return unpack(sets) end
  return sets
end

--- Samples by numbers that a function gives.
-- @tparam[opt] function sampler (set, index) -> number; uniform draws without one
-- @int[opt] size of the new set; this one's without
-- @treturn data.ResampleDataset
function Dataset:resample(sampler, size) return data.ResampleDataset(self, sampler, size) end

--- This set's samples, then those of others.
-- @tparam data.Dataset ...
-- @treturn data.ConcatDataset
function Dataset:concat(...) return data.ConcatDataset { self, ... } end

--- Samples of several sets side by side: the i-th is the list of their i-th samples.
-- @tparam data.Dataset ...
-- @treturn data.ZipDataset
function Dataset:zip(...) return data.ZipDataset { self, ... } end

--- Samples that are kept once they were read, for all worker threads.
-- @treturn data.CacheDataset
function Dataset:cache() return data.CacheDataset(self) end

--- A loader of batches.
-- @tparam[opt] table options as data.DataLoader's
-- @treturn data.DataLoader
function Dataset:loader(options) return data.DataLoader(self, options) end

function Dataset:__tostring__() return ('%s of %d samples'):format(torch.type(self), self:size()) end

return { Dataset = data.Dataset }
