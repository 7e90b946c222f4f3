--- Applies a module to inputs with more dimensions than it accepts: the leading ones are merged into one for the module, and restored in
-- the output.
-- Shapes: x (a, b, …, n, m) -> (a, b, …, k), if the module maps (N, m) to (N, k) and nInputDim is 2.
-- @classmod nn.Bottle
local torch, check = require 'torch', require 'torch.check'
local nn, explain = require 'nn', require 'nn.support.explain'
local refuse = require 'torch.check.refuse'

-- Runs the module's `method`, with leading dimensions merged.
local function bottled(self, method, input)
  local module, extra = self.modules[1], check.tensor(torch.type(self), 'input', input):dim() - self.nInputDim
  if extra <= 0 then return self:rethrowErrors(module, 1, method, input) end
  local sizes = input:size():totable()
  local leading, inShape = {}, { 1 }
  for d = 1, #sizes do
    if d <= extra + 1 then
      leading[d], inShape[1] = sizes[d], inShape[1] * sizes[d]
    else
      inShape[#inShape + 1] = sizes[d]
    end
  end
  self.inShape = torch.LongStorage(inShape)
  if input:isChannelsLast() then input = torch.contiguous(input) end
  local output = self:rethrowErrors(module, 1, method, torch.view(input, self.inShape))
  if output:dim() ~= self.nOutputDim then
    refuse.shape(('Wrong number of output dims on module. Expected: %d but got %d'):format(self.nOutputDim, output:dim()))
  end
  self.outShape = output:size()
  for d = 2, #self.outShape do leading[#leading + 1] = self.outShape[d] end
  return torch.view(output:contiguous(), torch.LongStorage(leading))
end

-- The input and gradOutput of the module.
local function inside(self, input, gradOutput)
  if check.tensor(torch.type(self), 'input', input):dim() <= self.nInputDim then return input, gradOutput end
  explain.gradient(self, gradOutput, self.output)
  return input:view(self.inShape), gradOutput:contiguous():view(self.outShape)
end

local Bottle, parent = nn.declare {
  name = 'nn.Bottle', parent = 'nn.Decorator',
  compute = function(self, input) return bottled(self, 'onTape', input) end,
  forward = function(self, input)
    self.output = bottled(self, 'updateOutput', input)
    return self.output
  end,
  backward = function(self, input, gradOutput)
    local gradInput = self.modules[1]:updateGradInput(inside(self, input, gradOutput))
    self.gradInput = gradInput and gradInput:viewAs(input)
    return self.gradInput
  end,
  samples = { { 'Bottle(nn.Linear(3, 2))', { 2, 4, 3 } } },
}

--- @tparam nn.Module module
-- @tparam[opt=2] int nInputDim number of dimensions of the module's input
-- @tparam[opt=nInputDim] int nOutputDim number of dimensions of its output
function Bottle:__init(module, nInputDim, nOutputDim)
  parent.__init(self, module)
  self.nInputDim = nInputDim or 2
  self.nOutputDim = nOutputDim or self.nInputDim
  self.dimDelta = self.nInputDim - self.nOutputDim
  self.inShape, self.outShape = torch.LongStorage(self.nInputDim), torch.LongStorage(self.nOutputDim)
end

for _, method in ipairs { 'accGradParameters', 'accUpdateGradParameters', 'sharedAccUpdateGradParameters' } do
  Bottle[method] = function(self, input, gradOutput, factor)
    local given, g = inside(self, input, gradOutput)
    self.modules[1][method](self.modules[1], given, g, factor)
  end
end

return nn.Decorator.deriving(Bottle)
