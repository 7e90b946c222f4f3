--- The base class of modules for unsupervised learning. Their `updateOutput` returns a cost, a number, and their backward methods have the
-- target as argument instead of a gradOutput. `normalize` is called after each step, so that weights do not grow while codes shrink.
-- @classmod unsup.UnsupModule
local torch = require 'torch'
local check = require 'torch.check'

local UnsupModule, parent = torch.class('unsup.UnsupModule', 'nn.Module')

function UnsupModule:__init()
  parent.__init(self)
end

--- Scales the weights; subclasses implement it.
function UnsupModule:normalize()
  check.raise 'Every unsupervised module has to implement normalize function'
end

local smallest = 1e-12      -- added to norms before weights are divided by them

local function divide(x) x:div(x:norm() + smallest) end

-- Kernels of convolutions: the last dimensions of weights of 3, 4 and 5 dimensions, without those that enumerate kernels.
local kernelsAt = { [3] = 1, [4] = 2, [5] = 2 }

local function divideKernels(weight, levels)
  for i = 1, weight:size(1) do
    if levels == 1 then
      divide(weight[i])
    else
      divideKernels(weight[i], levels - 1)
    end
  end
end

--- Normalises each kernel, or each column of a matrix, to norm 1.
-- @tparam torch.Tensor weight of 2 to 5 dimensions
function UnsupModule.normalizeWeight(weight)
  if weight:dim() == 2 then
    for i = 1, weight:size(2) do divide(weight:select(2, i)) end
  elseif kernelsAt[weight:dim()] then
    divideKernels(weight, kernelsAt[weight:dim()])
  else
    check.raise(('unsup: weight: %d dimensions, expected 2 to 5'):format(weight:dim()))
  end
end

--- The parameters of two modules, those of the first before those of the second.
-- @tparam nn.Module ... two modules
-- @treturn {torch.Tensor,...} parameters
-- @treturn {torch.Tensor,...} gradients
-- @treturn ?{torch.Tensor,...} diagonal second derivatives, with `nn.hessian.enable()`
function UnsupModule.parametersOf(...)
  local lists = { {}, {}, {} }
  for _, module in ipairs { ... } do
    local own = { module:parameters() }
    for i, list in ipairs(lists) do
      for _, x in ipairs(own[i] or {}) do list[#list + 1] = x end
    end
  end
  return lists[1], lists[2], #lists[3] > 0 and lists[3] or nil
end

-- A rate for both modules, or one for each.
local function ratesOf(rate)
  if type(rate) == 'table' then return rate[1], rate[2] end
  return rate, rate
end

--- A class of modules with an encoder and a decoder.
-- @string name
-- @treturn table the class
-- @treturn table its parent
function UnsupModule.pairClass(name)
  local class, base = torch.class(name, 'unsup.UnsupModule')

  function class:parameters() return UnsupModule.parametersOf(self.encoder, self.decoder) end

  function class:zeroGradParameters()
    self.encoder:zeroGradParameters()
    self.decoder:zeroGradParameters()
  end

  function class:updateParameters(rate)
    local ofEncoder, ofDecoder = ratesOf(rate)
    self.encoder:updateParameters(ofEncoder)
    self.decoder:updateParameters(ofDecoder)
  end

  --- Makes the fields for second derivatives of encoder and decoder (see nn.hessian).
  function class:initDiagHessianParameters()
    self.encoder:initDiagHessianParameters()
    self.decoder:initDiagHessianParameters()
  end

  return class, base
end

return UnsupModule
