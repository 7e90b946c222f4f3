--- Returns its input, and prints the sizes of input and gradOutput.
-- @classmod nn.PrintSize
local torch = require 'torch'
require 'nn'
local explain = require 'nn.support.explain'

local PrintSize, parent = torch.class('nn.PrintSize', 'nn.Module')

--- @tparam[opt='PrintSize'] string prefix
function PrintSize:__init(prefix)
  parent.__init(self)
  self.prefix = prefix or 'PrintSize'
end

function PrintSize:compute(input)
  return input
end

function PrintSize:updateOutput(input)
  self.output = explain.input(self, input)
  print(self.prefix .. ':input\n', input:size())
  return input
end

function PrintSize:updateGradInput(_, gradOutput)
  explain.gradient(self, gradOutput, self.output)
  print(self.prefix .. ':gradOutput\n', gradOutput:size())
  self.gradInput = gradOutput
  return gradOutput
end

PrintSize.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return PrintSize
