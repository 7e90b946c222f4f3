--- Rows of a learnt matrix, by their positions, where the rows are spread over the ranks of a group in order.
-- Shapes: positions (...), from 1, the same on all ranks -> (..., size).
-- Source: Shoeybi et al. (2019), "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", section 3.
-- @classmod nn.VocabParallelEmbedding
local torch, nn = require 'torch', require 'nn'
local check, sharded, lookup = require 'torch.check', require 'nn.support.sharded', require 'nn.support.lookup'
local functional = require('torch.distributed').functional

local where = 'nn.VocabParallelEmbedding'

local VocabParallelEmbedding, parent = torch.class(where, 'nn.Module')
VocabParallelEmbedding.__givesWay = true

local function take(self, layer, group)
  for _, option in ipairs { 'maxNorm', 'scaleGradByFreq', 'sparse' } do
    if layer[option] then check.raise(('%s: layer: an nn.Embedding with %s, expected one without'):format(where, option)) end
  end
  parent.__init(self)
  self.count, self.size, self.padding = layer.weight:size(1), layer.weight:size(2), layer.padding
  group = sharded.begin(self, layer, group)
  sharded.divides(where, 'count', self.count, group)
  sharded.declarePart(self, 'weight', layer.weight, 1, group)
  return self
end

--- Draws an nn.Embedding on the first rank of the group, and takes this rank's rows. All ranks of the group call it.
-- @tparam int count number of rows, a multiple of the number of ranks
-- @tparam int size their length
-- @tparam[opt] int padding position of a row that is zero at first and has no gradient
-- @tparam[opt] Group group of torch.distributed.newGroup; all ranks by default
function VocabParallelEmbedding:__init(count, size, padding, group)
  take(self, nn.Embedding(count, size, padding), group)
end

--- Returns a layer with the rows of an nn.Embedding that belong to this rank. All ranks of the group call it, and get those of its first
-- rank.
-- @function from
-- @tparam nn.Embedding layer without maxNorm, scaleGradByFreq and sparse
-- @tparam[opt] table options `group`
-- @treturn nn.VocabParallelEmbedding
VocabParallelEmbedding.from = sharded.from(where, 'nn.Embedding', take, { 'group' })

-- Returns the position of the row of padding in this rank's part, if it is there.
local function ownPadding(self, group)
  local place = (self.padding or 0) - group:rank() * self.weight:size(1)
  return place >= 1 and place <= self.weight:size(1) and place or nil
end

function VocabParallelEmbedding:compute(input)
  local group = sharded.group(self)
  local numbers = input:detach():long():contiguous():view(-1)
  if numbers:nElement() > 0 and (numbers:min() < 1 or numbers:max() > self.count) then
    local wrong = numbers:min() < 1 and numbers:min() or numbers:max()
    check.raise(('%s: positions: %d, expected 1 to %d'):format(where, wrong, self.count), 'range')
  end
  local mine, isMine = sharded.places(numbers, self.weight:size(1), group)
  local rows = lookup.rows(self.weight, mine, { padding = ownPadding(self, group) })
  rows = torch.cmul(rows, isMine:typeAs(rows):view(-1, 1):expandAs(rows))
  local size = input:size():totable()
  size[#size + 1] = self.size
  return torch.view(functional.reduceFromRegion(rows, { group = group }), torch.LongStorage(size))
end

--- Returns an nn.Embedding with the rows of all ranks, which all call it.
-- @treturn nn.Embedding
function VocabParallelEmbedding:gathered()
  local layer = nn.utils.skipInit(nn.Embedding, self.count, self.size, self.padding):type(self:type())
  sharded.collect(layer.weight, self.weight, sharded.group(self), 1)
  return layer
end

function VocabParallelEmbedding:__tostring__()
  return ('%s(%d, %d, 1 of %d parts)'):format(where, self.count, self.size, #self.ranks)
end

return require('nn.support.options').install(VocabParallelEmbedding)
