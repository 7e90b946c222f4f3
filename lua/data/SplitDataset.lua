--- Consecutive parts of a set, one of which is selected.
-- @classmod data.SplitDataset
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local isDataset = require 'data.is_dataset'

local SplitDataset, parent = torch.class('data.SplitDataset', 'data.Dataset', data)

local where = 'data.SplitDataset'

local function namesOf(parts)
  local names, total, isCut = {}, 0, false
  for name, part in pairs(parts) do
    check.number(where, tostring(name), part, { min = 0 })
    names[#names + 1], total, isCut = name, total + part, isCut or part % 1 ~= 0
  end
  check.that(not isCut or total <= 1 + 1e-9, ('%s: parts: shares of %s in all, expected at most 1'):format(where, total))
  check.that(#names > 0, where .. ': parts: an empty table, expected at least one part')
  table.sort(names, function(a, b)
    if type(a) == type(b) then return a < b end
    return tostring(a) < tostring(b)
  end)
  return names, total
end

-- The sizes of parts; if shares add up to 1, the first parts get the samples left over from rounding.
local function sizesOf(parts, names, total, size)
  local sizes, given = {}, 0
  local shares = total <= 1 + 1e-9
  for _, name in ipairs(names) do
    sizes[name] = shares and math.floor(parts[name] * size + 1e-9) or check.int(where, tostring(name), parts[name])
    given = given + sizes[name]
  end
  check.that(given <= size, ('%s: parts: %d samples in all, expected at most %d'):format(where, given, size))
  if shares and math.abs(total - 1) < 1e-9 then
    for i = 1, size - given do sizes[names[i]] = sizes[names[i]] + 1 end
  end
  return sizes
end

--- Splits a set into parts by name.
-- @tparam data.Dataset dataset
-- @tparam table parts name -> share of the samples (with a sum of at most 1), or number of samples
-- @treturn {[string]=data.Dataset} by name
function SplitDataset.cut(dataset, parts)
  local names, total = namesOf(parts)
  local sizes = sizesOf(parts, names, total, dataset:size())
  local all, sets, first = torch.range(1, math.max(dataset:size(), 1)):long(), {}, 1
  for _, name in ipairs(names) do
    sets[name] = data.SubsetDataset(dataset, sizes[name] > 0 and all:narrow(1, first, sizes[name]) or torch.LongTensor(0))
    first = first + sizes[name]
  end
  return sets
end

--- @tparam data.Dataset dataset
-- @tparam table parts name -> share of the samples (with a sum of at most 1), or number of samples; in the order of the names
-- @param[opt] initial the part that is selected
function SplitDataset:__init(dataset, parts, initial)
  parent.__init(self)
  self.dataset = isDataset.check(where, 'dataset', dataset)
  self.sets = SplitDataset.cut(dataset, check.table(where, 'parts', parts))
  if initial ~= nil then self:select(initial) end
end

--- Selects a part: from now on the set has the samples of this part.
-- @param name
function SplitDataset:select(name)
  if self.sets[name] == nil then
    local names = {}
    for key in pairs(self.sets) do names[#names + 1] = tostring(key) end
    table.sort(names)
    check.raise(('%s: select: partition not found: %s, expected one of %s'):format(where, tostring(name), table.concat(names, ', ')))
  end
  self.selected = name
end

local function selected(self)
  return self.sets[self.selected] or check.raise(where .. ': no partition selected, expected select(name) first')
end

--- The number of samples in the selected part.
function SplitDataset:size() return selected(self):size() end

--- A sample of the selected part.
function SplitDataset:get(index) return selected(self):get(index) end

--- Samples of the selected part as a batch.
function SplitDataset:getBatch(indices) return selected(self):getBatch(indices) end

return { SplitDataset = data.SplitDataset }
