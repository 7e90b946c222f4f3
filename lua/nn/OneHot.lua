--- Converts positions, counted from 1, to vectors with a 1 there and zeros at the others.
-- Shapes: any shape -> that shape x n; a number -> (n). The output has the module's type.
-- A position outside 1 .. n is an error.
-- @classmod nn.OneHot
local torch, check = require 'torch', require 'torch.check'
local onDeviceOf = require 'autograd.on_device_of'
local explain = require 'nn.support.explain'

--- @tparam int outputSize n
local OneHot = require 'nn'.declare {
  name = 'nn.OneHot',
  options = { { 'outputSize', 'any', field = 'outputSize' } },
}

function OneHot:updateOutput(input)
  self.outputSize = check.whole('nn.OneHot', 'outputSize', self.outputSize, { min = 1 })
  local single = type(input) == 'number'
  local positions = single and onDeviceOf(torch.LongTensor { input }, self.output) or explain.input(self, input):_as 'Long':contiguous()
  local sizes = single and {} or positions:size():totable()
  sizes[#sizes + 1] = self.outputSize
  local rows = self.output:resize(positions:nElement(), self.outputSize):zero()
  local done, message = pcall(rows.scatter, rows, 2, positions:view(-1, 1), 1)
  if not done then check.raise('nn.OneHot: input: ' .. (tostring(message):match 'position.*' or message)) end
  if #sizes > 1 or single then self.output:resize(torch.LongStorage(sizes)) end
  return self.output
end

function OneHot:updateGradInput(input)
  if type(input) == 'number' then
    self.gradInput = 0
    return 0
  end
  explain.input(self, input)
  if not torch.isTensor(self.gradInput) then self.gradInput = self.output.new() end
  self.gradInput:resizeAs(input):zero()
  return self.gradInput
end

--- Computes on the tape. Positions are constants there.
function OneHot:onTape(input)
  return self:updateOutput(input):clone()
end

OneHot.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return OneHot
