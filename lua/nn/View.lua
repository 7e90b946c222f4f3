--- Views the memory in another shape, or a copy if channels are last, with a leading batch dimension if the input is a batch.
-- The batch size is the number of elements in the last `numInputDims` dimensions (in all, if not set) divided by that of the view; a batch
-- of 1 without remaining dimensions adds none.
-- @classmod nn.View
local check, nn = require 'torch.check', require 'nn'
local refuse = require 'torch.check.refuse'

-- Returns the number of samples, or nil for no batch dimension; and the size for -1 in each, even if there is none.
local function batchSize(self, input, sizes)
  local dims, extra = input:dim(), self.numInputDims and input:dim() - self.numInputDims or 0
  local leading, own, wanted = 1, 1, 1
  if extra > 0 then
    for d = 1, dims do
      if d > extra then own = own * input:size(d) else leading = leading * input:size(d) end
    end
  else
    own = input:nElement()
  end
  for i = 1, #sizes do wanted = wanted * sizes[i] end
  local samples = (wanted < 0 and 1 or own / self.numElements) * leading
  if samples % 1 ~= 0 or wanted < 0 and own % self.numElements ~= 0 then
    refuse.shape(('nn.View: input: input view (%s) and desired view (%s) do not match'):format(table.concat(input:size():totable(), 'x'),
      table.concat(sizes, 'x')))
  end
  if samples ~= 1 or extra > 0 then return samples, own / self.numElements end
end

local View, parent = nn.declare {
  name = 'nn.View', shows = true,
  values = { 'sizes' },
  formula = function(self, input)
    local sizes = self.size:totable()
    local samples, rest = batchSize(self, input, sizes)
    if samples then
      for i = #sizes, 1, -1 do sizes[i + 1] = sizes[i] == -1 and rest or sizes[i] end
      sizes[1] = samples
    end
    return input:isChannelsLast() and 'view(contiguous(channelsLast(input)), sizes)' or 'view(input, sizes)', sizes
  end,
  prints = function(self) return ('(%s)'):format(table.concat(self.size:totable(), ', ')) end,
  samples = { { 'View(6)', { 2, 3, 2 }, rows = true } },
}

--- @param ... sizes as numbers, one of which may be -1, or one LongStorage
function View:__init(...)
  parent.__init(self)
  self:resetSize(...)
end

--- Sets the sizes.
-- @param ... those of the constructor
-- @treturn nn.View self
function View:resetSize(...)
  self.size = check.sizes('nn.View', ...)
  self.numElements = 1
  local inferred = false
  for i = 1, #self.size do
    local size = self.size[i]
    check.that(size >= 0 or size == -1, 'nn.View: sizes: ' .. size .. ': size should be positive or -1')
    if size >= 0 then
      self.numElements = self.numElements * size
    else
      check.that(not inferred, 'nn.View: sizes: -1 twice: only one dimension can be at -1')
      inferred = true
    end
  end
  return self
end

--- Sets the number of dimensions of a single input; those before them are the batch.
-- @int count
-- @treturn nn.View self
function View:setNumInputDims(count)
  self.numInputDims = count
  return self
end

return View
