--- Converts its input to the module's type and another order of dimensions, denoted by letters: b batch, c channel, h height, w width, f
-- feature, t time, d depth.
-- `nn.Convert('bhwc', 'bchw')` permutes. For 'bf' and 'bt', all dimensions but the batch are merged; for 'b', the first column of a matrix
-- is selected. A missing 'b' is prepended; then the input is a single sample.
-- @classmod nn.Convert
local torch, check = require 'torch', require 'torch.check'
local refuse = require 'torch.check.refuse'

-- Returns the dimension of the input for each letter of the output's shape, or nil if the letters differ.
local function permutation(from, to)
  local order = {}
  for letter in to:gmatch '.' do
    local place = from:find(letter, 1, true)
    if not place then return nil end
    order[#order + 1] = place
  end
  return #order == #from and order or nil
end

local Convert, parent = require 'nn'.declare {
  name = 'nn.Convert',
  widens = false,
  compute = function(self, input)
    local output = torch.to(input, self._type)
    local from, to = self.inputShape, self.outputShape
    if from == to then return output == input and torch.clone(output) or output end
    local single = input:dim() == #from - 1
    if single then output = torch.unsqueeze(output, (from:find 'b')) end
    if output:dim() ~= #from then refuse.shape(('nn.Convert: input: %d dimensions, expected %s'):format(input:dim(), from)) end
    local order, batch = permutation(from, to), from:find 'b'
    if order then
      output = torch.clone(torch.permute(output, torch.LongStorage(order)))
    else
      if batch ~= 1 then output = torch.transpose(output, 1, batch) end
      local rows = torch.view(output:contiguous(), output:size(1), -1)
      if to == 'bf' or to == 'bt' then
        output = rows
      elseif to == 'b' then
        output = torch.select(rows, 2, 1)
      else
        refuse.shape(('nn.Convert: cannot convert shape %s to shape %s'):format(from, to))
      end
    end
    return single and torch.select(output, (to:find 'b'), 1) or output
  end,
}

--- @tparam[opt='b*'] string inputShape by default any shape
-- @tparam[opt=inputShape] string outputShape
function Convert:__init(inputShape, outputShape)
  parent.__init(self)
  inputShape = inputShape or 'b*'
  outputShape = outputShape or inputShape
  self.inputShape = inputShape:find 'b' and inputShape or 'b' .. inputShape
  self.outputShape = outputShape:find 'b' and outputShape or 'b' .. outputShape
  check.that((self.inputShape == 'b*') == (self.outputShape == 'b*'), 'nn.Convert: outputShape: Both or neither shapes must be b*')
end

Convert.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return Convert
