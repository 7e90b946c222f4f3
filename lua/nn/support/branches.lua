--- The common part of containers with parallel children: Torch7's methods and the tape's, from four functions of a class.
-- @module nn.support.branches
local torch = require 'torch'
local nested, explain = require 'nn.nested', require 'nn.support.explain'
local callChild, C = require('nn.support.children').call, require 'libmoontorch'

local nestedCopy, nestedAdd = C.nestedCopy, C.nestedAdd

local branches = {}

--- Returns the gradient with respect to an input that all children share: the sum of their gradients.
-- @tparam {number=gradInput} gradients by position of the child; nil if it has none
-- @tparam int count number of children
-- @param held the sum of the last backward, whose tensors are reused
-- @param gradOutput the children's gradOutput, which is not modified
function branches.sum(gradients, count, held, gradOutput)
  local sum
  for i = 1, count do
    local g = gradients[i]
    if g ~= nil then
      if sum == nil then sum = nestedCopy(held, g, gradients, gradOutput) else sum = nestedAdd(sum, g) end
    end
  end
  return sum
end

--- A method `join` that returns the children's outputs in a table.
function branches.inTable(_, outputs, held)
  return held and nested.refill(held, outputs, #outputs) or outputs
end

--- Passes each child its entry of input and gradOutput; output and gradInput are the tables of the children's results.
-- @tparam table class before its call of `install`
function branches.byEntry(class)
  class.takes = 'table'
  function class.given(input, i, self)
    if type(input) ~= 'table' and not torch.isTensor(input) then explain.refuse(self, input) end
    return input[i]
  end
  function class.part(_, gradOutput, i) return gradOutput[i] end
  class.join = branches.inTable
  function class:collect(gradients, input) return nested.refill(self.gradInput, gradients, self:count(input)) end
end

local function given(input) return input end
local function count(self) return #self.modules end

-- Calls `method` of each child with its input and its part of gradOutput; returns a list of the results.
local function visit(self, method, input, gradOutput, factor)
  local results = {}
  for i = 1, self:count(input) do
    results[i] = callChild(self, self.modules[i], i, method, self.given(input, i, self), self:part(gradOutput, i), factor)
  end
  return results
end

local function outputsBy(self, method, input)
  local outputs = {}
  for i = 1, self:count(input) do outputs[i] = callChild(self, self.modules[i], i, method, self.given(input, i, self)) end
  return outputs
end

-- "|`-> (i): child", with the child's further lines indented.
local function describe(self)
  local lines = { torch.type(self) .. ' {\n  input' }
  for i, module in ipairs(self.modules) do
    local last = i == #self.modules
    local text = tostring(module):gsub('\n', last and '\n         ' or '\n    |    ')
    lines[#lines + 1] = ('%s(%d): %s'):format(last and '     `-> ' or '    |`-> ', i, text)
  end
  lines[#lines + 1] = '     ... -> output\n}'
  return table.concat(lines, '\n')
end

--- Adds the methods to a class of containers.
-- @tparam table class with methods join(outputs [, held]): computes the output from the children's, by differentiable ops, or without a
--   record in the last output, `held`; part(gradOutput, i): returns the part for child i; collect(gradients, input, gradOutput): returns
--   gradInput from the children's; and optionally the function given(input, i, self): returns the input of child i; and the method
--   count(input): returns the number of children that have an input
-- @treturn table the class
function branches.install(class)
  class.given, class.count = class.given or given, class.count or count

  function class:compute(input)
    return self:join(outputsBy(self, 'onTape', input))
  end

  function class:updateOutput(input)
    self.output = self:join(outputsBy(self, 'updateOutput', input), self.output)
    return self.output
  end

  function class:updateGradInput(input, gradOutput)
    self.gradInput = self:collect(visit(self, 'updateGradInput', input, gradOutput), input, gradOutput)
    return self.gradInput
  end

  function class:backward(input, gradOutput, scale)
    self.gradInput = self:collect(visit(self, 'backward', input, gradOutput, scale or 1), input, gradOutput)
    return self.gradInput
  end

  function class:backwardUpdate(input, gradOutput, lr)
    self.gradInput = self:collect(visit(self, 'backwardUpdate', input, gradOutput, lr), input, gradOutput)
    return self.gradInput
  end

  function class:accGradParameters(input, gradOutput, scale)
    visit(self, 'accGradParameters', input, gradOutput, scale or 1)
  end

  for _, method in ipairs { 'accUpdateGradParameters', 'sharedAccUpdateGradParameters' } do
    class[method] = function(self, input, gradOutput, lr) visit(self, method, input, gradOutput, lr) end
  end

  class.derived = {
    updateOutput = class.updateOutput, updateGradInput = class.updateGradInput, accGradParameters = class.accGradParameters,
  }
  class.__tostring__ = describe
  return class
end

return branches
