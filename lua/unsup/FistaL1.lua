--- Sparse coding: the code z that minimises cost/2 (D z, x) + lambda |z|_1, found by FISTA, for any linear module D.
-- Source: Kavukcuoglu, Ranzato & LeCun (2008), "Fast Inference in Sparse Coding Algorithms with Applications to Object Recognition".
-- @classmod unsup.FistaL1
local torch = require 'torch'
local nn, optim = require 'nn', require 'optim'
local check = require 'torch.check'
local UnsupModule = require 'unsup.UnsupModule'

local FistaL1, parent = torch.class('unsup.FistaL1', 'unsup.UnsupModule')

local defaults = { L = 0.1, Lstep = 1.5, maxiter = 50, maxline = 20, errthres = 1e-4 }

--- The settings of FISTA: params, with defaults for missing fields.
-- @tparam ?table params as for `optim.FistaLS`
-- @treturn table
function FistaL1.settings(params)
  local settings = {}
  for name, value in pairs(defaults) do settings[name] = value end
  for name, value in pairs(params == nil and {} or check.table('unsup.FistaL1', 'params', params)) do settings[name] = value end
  settings.doFistaUpdate = true
  return settings
end

--- @tparam nn.Module D linear, of code to input
-- @tparam nn.Criterion criterion smooth cost, which is multiplied by 0.5
-- @number lambda weight of the code's absolute sum
-- @tparam[opt] table params `L` (0.1), `Lstep` (1.5), `maxiter` (50), `maxline` (20), `errthres` (1e-4)
function FistaL1:__init(D, criterion, lambda, params)
  parent.__init(self)
  self.D, self.Fcost, self.Gcost = D, criterion, nn.L1Cost()
  self.lambda = check.number('unsup.FistaL1', 'lambda', lambda, { min = 0 })
  self.params = FistaL1.settings(params)
  self.code, self.input = torch.Tensor(), nil
  self.factor, self.smallestL = 0.5, 0.1      -- of the smooth cost; the minimum to which L is halved
end

-- The start of the search.
-- @tparam ?torch.Tensor code
function FistaL1:start(code)
  if code then
    check.tensor('unsup.FistaL1', 'code', code)
    self.code:resizeAs(code):copy(code)
  elseif self.code:nElement() == 0 then
    check.raise(torch.typename(self) .. ': code: none, expected one to start from, as its size is not known yet')
  end
end

-- The smooth part of the cost at a code, and optionally its gradient.
local function smooth(self, code, mode)
  local cost = self.factor * self.Fcost:updateOutput(self.D:updateOutput(code), self.input)
  if mode ~= 'dx' then return cost end
  return cost, self.D:updateGradInput(code, self.Fcost:updateGradInput(self.D.output, self.input)) * self.factor
end

--- Computes the code of an input into the field `code`, and its reconstruction into `D.output`.
-- @tparam torch.Tensor input
-- @tparam[opt] torch.Tensor code the start of the search; default: the last code
-- @treturn number the cost
-- @treturn {table,...} the steps, as `optim.FistaLS` returns them
function FistaL1:updateOutput(input, code)
  check.tensor(torch.typename(self), 'input', input)
  self:start(code)
  self.input = input
  local params, before = self.params, self.params.L
  local _, history = optim.FistaLS(
    function(z, mode) return smooth(self, z, mode) end,
    function(z) return self.lambda * self.Gcost:updateOutput(z) end,
    function(z, L) z:shrinkage(self.lambda / L) end,
    self.code, params)
  if params.L == before then params.L = math.max(params.L / 2, self.smallestL) end      -- the next input may need less
  self.code:copy(params.y)
  self.D:updateOutput(self.code)
  self.output = history[#history].F
  return self.output, history
end

--- Returns nothing, since no module precedes this one.
function FistaL1:updateGradInput() end

--- Adds the gradient by D's parameters.
-- @tparam torch.Tensor input
-- @param[opt] target not used
-- @number[opt=1] scale
function FistaL1:accGradParameters(input, target, scale)      -- luacheck: ignore 212
  local ofOutput = self.Fcost:updateGradInput(self.D.output, input)
  self.D:accGradParameters(self.code, ofOutput * self.factor, scale or 1)
end

function FistaL1:parameters() return self.D:parameters() end

function FistaL1:zeroGradParameters() self.D:zeroGradParameters() end

function FistaL1:updateParameters(rate) self.D:updateParameters(rate) end

--- Normalises each of D's kernels, or columns, to norm 1.
function FistaL1:normalize()
  if self.D.weight then UnsupModule.normalizeWeight(self.D.weight) end
end

--- Makes the fields for second derivatives of the dictionary (see nn.hessian).
function FistaL1:initDiagHessianParameters() self.D:initDiagHessianParameters() end

--- The second derivatives of the cost by the input, by the diagonal approximation (see nn.hessian).
-- @tparam torch.Tensor input the input of the last forward
-- @treturn torch.Tensor the field diagHessianInput
function FistaL1:updateDiagHessianInput(input)
  self.diagHessianInput = self.D:updateDiagHessianInput(self.code, self.Fcost:updateDiagHessianInput(self.D.output, input) * self.factor)
  return self.diagHessianInput
end

--- Adds the second derivatives by the parameters of the dictionary to their fields.
-- @tparam torch.Tensor input the input of the last forward
-- @param _ ignored
-- @tparam[opt=1] number scale factor
function FistaL1:accDiagHessianParameters(input, _, scale)
  self.D:accDiagHessianParameters(self.code, self.Fcost:updateDiagHessianInput(self.D.output, input) * self.factor, scale or 1)
end

return FistaL1
