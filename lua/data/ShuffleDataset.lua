--- The samples of a set in a random order, which can be drawn again.
-- @classmod data.ShuffleDataset
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local seeds = require 'data.seeds'

local ShuffleDataset, parent = torch.class('data.ShuffleDataset', 'data.SubsetDataset', data)

local where = 'data.ShuffleDataset'

--- @tparam data.Dataset dataset
-- @tparam[opt] table options `size`: number of draws (default: all samples); `replacement`: a sample may occur twice; `seed`: a number or a
-- torch.Generator for the order (default: torch's global generator)
function ShuffleDataset:__init(dataset, options)
  options = check.options(where, options, { 'size', 'replacement', 'seed' })
  local size = options.size and check.int(where, 'size', options.size, { min = 0 })
  check.flag(where, 'replacement', options.replacement)
  parent.__init(self, dataset, torch.LongTensor(0))
  if size and not options.replacement and size > dataset:size() then
    check.raise(('%s: size: %d, expected at most the %d samples of the set without replacement'):format(where, size,
      dataset:size()))
  end
  self.count, self.replacement, self.generator = size, options.replacement, seeds.generator(where, options.seed)
  self:resample()
end

--- Draws another order.
function ShuffleDataset:resample()
  local size = self.dataset:size()
  self:choose(seeds.draw(size, self.count or size, self.replacement, self.generator))
end

return { ShuffleDataset = data.ShuffleDataset }
