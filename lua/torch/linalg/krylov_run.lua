--- The state that iterative methods share: checks of arguments, when a method ends, and what it returns.
-- @module torch.linalg.krylov_run
local torch = require 'torch'
local check = require 'torch.check'
local operator, matrix = require 'torch.linalg.operator', require 'torch.linalg.matrix'
local promotion = require 'torch.linalg.promotion'

local Run = {}
Run.__index = Run

--- Checks the arguments of a method.
-- @string where the method
-- @param a see `torch.linalg.krylov`
-- @param b
-- @param options
-- @tparam[opt] {string,...} more names of options
-- @treturn table the run: a, b, n, x, r, limit, options
local function start(where, a, b, options, more)
  local names = { 'x0', 'tol', 'atol', 'maxIterations', 'preconditioner', 'callback' }
  for _, name in ipairs(more or {}) do names[#names + 1] = name end
  options = check.options(where, options, names)
  b = operator.vector(where, 'b', b)
  local n = b:size(1)
  local self = setmetatable({ where = where, n = n, iterations = 0, callback = options.callback, options = options }, Run)
  self.a = operator.of(where, 'a', a, n, n)
  if options.callback ~= nil then check.callable(where, 'callback', options.callback) end
  local isComplex = promotion.hasComplexProducts(a, self.a, b)
  if options.preconditioner ~= nil then
    self.preconditioner = operator.of(where, 'preconditioner', options.preconditioner, n, n)
    isComplex = isComplex or promotion.hasComplexProducts(options.preconditioner, self.preconditioner, b)
  end
  local x0 = options.x0
  if x0 ~= nil then
    x0 = operator.vector(where, 'x0', x0)
    if x0:size(1) ~= n then matrix.refuse(where, 'x0', '%d elements, expected %d', x0:nElement(), n) end
  end
  if isComplex or x0 and x0:isComplex() then b = promotion.complex(b) end
  self.b = b
  local tol = check.number(where, 'tol', options.tol or 1e-5, { min = 0 })
  self.limit = math.max(tol * torch.norm(b), check.number(where, 'atol', options.atol or 0, { min = 0 }))
  self.most = check.int(where, 'maxIterations', options.maxIterations or 10 * n, { min = 1 })
  if x0 then
    self.x = torch.to(x0, b:type()):clone()
    self.r = torch.csub(b, self.a:mv(self.x))
  else
    self.x, self.r = torch.mul(b, 0), b:clone()
  end
  return self
end

-- The preconditioned vector: always another tensor.
function Run:prepared(r) return self.preconditioner and self.preconditioner:mv(r):clone() or r:clone() end

-- Whether the method has ended before a next iteration.
function Run:isDone(residual)
  if residual <= self.limit then
    self.converged = true
  elseif residual ~= residual or residual == math.huge then
    self.message = 'NaN or infinities: the matrix or the preconditioner does not fit the method'
  elseif self.iterations >= self.most then
    self.message = ('no convergence in %d iterations: more of them, a preconditioner or a larger tol may help'):format(self.most)
  end
  return self.converged or self.message ~= nil
end

function Run:after(residual)
  self.iterations = self.iterations + 1
  if self.callback then self.callback(self.x, self.iterations, residual) end
end

-- Ends the method early.
function Run:breakDown(reason) self.message = reason end

function Run:finish()
  local residual = torch.norm(torch.csub(self.b, self.a:mv(self.x)))
  local converged = residual <= self.limit or self.converged == true and residual <= 10 * self.limit
  if not converged then self.message = self.message or 'the residual of the recursion is not the real one: the matrix may be singular' end
  return self.x, {
    converged = converged, iterations = self.iterations, residual = residual,
    message = converged and ('converged in %d iterations'):format(self.iterations) or self.where .. ': ' .. self.message,
  }
end

return start
