--- Caches the samples of a set: each is read once and stored outside Lua's heap, where all worker threads find it.
-- A returned sample has copies of the cached tables; its tensors share memory with the cached ones.
-- @classmod data.CacheDataset
local torch, data = require 'torch', require 'data'
local isDataset = require 'data.is_dataset'

local CacheDataset, parent = torch.class('data.CacheDataset', 'data.Dataset', data)

-- Plain tables are stored as hashes; samples with values that tds can't hold are read again each time.
local function kept(tds, value)
  if type(value) ~= 'table' then return value end
  if torch.typename(value) then error('an object', 0) end
  local hash = tds.Hash()
  for key, entry in pairs(value) do hash[key] = kept(tds, entry) end
  return hash
end

local function taken(value)
  if torch.type(value) ~= 'tds.Hash' then return value end
  local sample = {}
  for key, entry in pairs(value) do sample[key] = taken(entry) end
  return sample
end

--- @tparam data.Dataset dataset whose samples are tables, tensors, numbers, strings and booleans
function CacheDataset:__init(dataset)
  parent.__init(self)
  self.dataset = isDataset.check('data.CacheDataset', 'dataset', dataset)
  self.kept = require('tds').Hash()
end

--- The number of samples.
function CacheDataset:size() return self.dataset:size() end

--- A sample.
function CacheDataset:get(index)
  local found = self.kept[self:checkIndex(index)]
  if found ~= nil then return taken(found) end
  local sample = self.dataset:get(index)
  local good, entry = pcall(kept, require 'tds', sample)
  if good and entry ~= nil then self.kept[index] = entry end
  return sample
end

return { CacheDataset = data.CacheDataset }
