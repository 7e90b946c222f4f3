--- Shared code of functions of matrices: checks of arguments, loops over batches, derivatives.
-- @module torch.linalg.matrix
local torch, C = require 'torch', require 'libmoontorch'
local check, extensions = require 'torch.check', require 'torch.extensions'
local asFloats = require 'torch.names.as_floats'
local sizesOf = require('torch.check.message').sizes

local matrix = {}

--- Checks that x is a tensor of at least this many dimensions.
-- @string where
-- @string name
-- @param x
-- @int rank 2 for matrices, 1 for vectors
-- @string[opt] what the expected value in words
-- @treturn torch.Tensor x, or floats of its integers
function matrix.of(where, name, x, rank, what)
  x = asFloats(check.tensor(where, name, x))
  if x:dim() < rank then
    what = what or rank == 2 and 'a matrix or a batch of them' or 'a vector or a batch of them'
    check.raise(('%s: %s: %s, expected %s'):format(where, name, sizesOf(x), what), 'shape')
  end
  return x
end

--- Checks that x has real numbers.
-- @string where
-- @string name
-- @tparam torch.Tensor|torch.Sparse x
-- @return x
function matrix.real(where, name, x)
  if x:type():find 'Complex' then check.raise(('%s: %s: %s, expected real numbers'):format(where, name, x:type()), 'dtype') end
  return x
end

--- Checks that x is a square matrix, or a batch of them.
-- @string where
-- @string name
-- @param x
-- @int[opt] n the expected number of rows
-- @treturn torch.Tensor x, or floats of its integers
function matrix.square(where, name, x, n)
  x = matrix.of(where, name, x, 2)
  if x:size(-1) ~= x:size(-2) or n and x:size(-1) ~= n then
    local what = n and ('%d rows and columns'):format(n) or 'a square matrix'
    check.raise(('%s: %s: %s, expected %s'):format(where, name, sizesOf(x), what), 'shape')
  end
  return x
end

--- Checks that x is a matrix with this many rows and columns, or a batch of them; nil for any number.
-- @string where
-- @string name
-- @param x
-- @tparam ?int rows
-- @tparam ?int columns
-- @treturn torch.Tensor x, or floats of its integers
function matrix.sized(where, name, x, rows, columns)
  x = matrix.of(where, name, x, 2)
  if rows and x:size(-2) ~= rows or columns and x:size(-1) ~= columns then
    check.raise(('%s: %s: %s, expected %s rows and %s columns'):format(where, name, sizesOf(x), rows or 'any number of', columns or
      'any number of'), 'shape')
  end
  return x
end

--- Checks right-hand sides: a vector of n numbers, or a matrix of n rows, or a batch of matrices.
-- @string where
-- @string name
-- @param b
-- @int n
-- @treturn torch.Tensor a matrix, or a batch of them
-- @treturn boolean whether b was a vector
function matrix.sides(where, name, b, n)
  b = matrix.of(where, name, b, 1)
  local isVector = b:dim() == 1
  if b:size(isVector and 1 or -2) ~= n then check.raise(('%s: %s: %s, expected %d rows'):format(where, name, sizesOf(b), n), 'shape') end
  return isVector and torch.unsqueeze(b, 2) or b, isVector
end

--- Raises an error about an argument.
function matrix.refuse(where, name, text, ...) check.raise(('%s: %s: %s'):format(where, name, text:format(...))) end

--- The transposed matrices.
function matrix.t(a) return torch.transpose(a, -2, -1) end

--- The identity, in the sizes and type of a.
function matrix.identity(a)
  local n = a:size(-1)
  return torch.expand(torch.to(torch.eye(n, n, 'float64'):to(a:device()), a:type()), a:size())
end

--- A tensor of constants in the type of x, on its device.
function matrix.like(constants, x) return torch.to(constants, x:type()) end

--- Puts blocks of matrices side by side, rows of blocks one above the other.
-- @tparam {{torch.Tensor,...},...} rows
-- @treturn torch.Tensor
function matrix.blocks(rows)
  local made = {}
  for i, row in ipairs(rows) do made[i] = torch.cat(row, row[1]:dim()) end
  return torch.cat(made, made[1]:dim() - 1)
end

--- A part of matrices.
-- @tparam torch.Tensor a
-- @int row the first one
-- @int rows their number
-- @int column the first one
-- @int columns their number
-- @treturn torch.Tensor a view
function matrix.part(a, row, rows, column, columns)
  return torch.narrow(torch.narrow(a, a:dim() - 1, row, rows), a:dim(), column, columns)
end

--- Epsilon of a tensor's type: the distance from 1 to the next number.
function matrix.epsilon(a)
  return ({ Half = 2 ^ -10, BFloat16 = 2 ^ -7, Float = 2 ^ -23, ComplexFloat = 2 ^ -23 })[C.dtypeOf(a)] or 2 ^ -52
end

-- The sizes over which the leading dimensions of all tensors broadcast.
local function commonLead(where, tensors, ranks)
  local lead, longest = {}, 0
  for i, x in ipairs(tensors) do longest = math.max(longest, x:dim() - ranks[i]) end
  for place = 1, longest do
    local size = 1
    for i, x in ipairs(tensors) do
      local d = place - (longest - (x:dim() - ranks[i]))
      local own = d >= 1 and x:size(d) or 1
      if own ~= 1 and size ~= 1 and own ~= size then
        check.raise(('%s: arguments: %s and %s, expected leading dimensions that broadcast'):format(where, sizesOf(tensors[1]), sizesOf(x)),
          'shape')
      end
      if own ~= 1 then size = own end
    end
    lead[place] = size
  end
  return lead
end

local function joined(lead, x, rank)
  local sizes = {}
  for i, n in ipairs(lead) do sizes[i] = n end
  for d = x:dim() - rank + 1, x:dim() do sizes[#sizes + 1] = x:size(d) end
  return sizes
end

-- The type of results, and whether one of the tensors is complex.
local function commonType(tensors)
  local chosen, isComplex = tensors[1], false
  for _, x in ipairs(tensors) do
    if x:elementSize() > chosen:elementSize() then chosen = x end
    isComplex = isComplex or x:isComplex()
  end
  local type = chosen:type()
  for _, x in ipairs(isComplex and tensors or {}) do
    if x:type() ~= type then type = torch.promoteTypes(type, x:type()) end
  end
  return type, isComplex
end

--- Calls a function for each matrix of a batch, in float64 and in memory of the host; leading dimensions broadcast.
-- @string where for messages
-- @tparam {torch.Tensor,...} tensors
-- @tparam {int,...} ranks the number of dimensions of each tensor that belong to one matrix or vector
-- @tparam function f its arguments are contiguous DoubleTensors of these ranks, which it must not change; returns tensors
-- @bool[opt] takesComplex whether f takes ComplexDoubleTensors, too, all of its arguments if one is complex; else complex matrices are an
-- error
-- @treturn torch.Tensor ... for each result of f a tensor of the arguments' type, or of that type's parts if the result of f is real, with
-- the batch's dimensions first
function matrix.each(where, tensors, ranks, f, takesComplex)
  local lead, type, isComplex = commonLead(where, tensors, ranks), commonType(tensors)
  local count, flat = 1, {}
  for _, n in ipairs(lead) do count = count * n end
  if count == 0 then check.raise(('%s: %s, expected at least one matrix'):format(where, sizesOf(tensors[1])), 'shape') end
  for i, x in ipairs(tensors) do
    if x:isComplex() and not takesComplex then check.raise(('%s: %s, expected real numbers'):format(where, x:type()), 'dtype') end
    local sizes = joined(lead, x, ranks[i])
    local wide = torch.to(C.detach(x), isComplex and 'torch.ComplexDoubleTensor' or 'torch.DoubleTensor')
    local own = torch.contiguous(torch.expand(wide, torch.LongStorage(sizes)))
    flat[i] = own:view(torch.LongStorage(joined({ count }, x, ranks[i])))
  end
  local results = {}
  for m = 1, count do
    local own = {}
    for i, x in ipairs(flat) do own[i] = x:select(1, m) end
    for i, y in ipairs { f(unpack(own)) } do
      results[i] = results[i] or {}
      results[i][m] = y
    end
  end
  for i, list in ipairs(results) do
    local y = list[1]
    if #lead > 0 then y = torch.stack(list, 1):view(torch.LongStorage(joined(lead, y, y:dim()))) end
    results[i] = torch.to(y, y:isComplex() and type or type:gsub('%.Complex', '.'))
  end
  return unpack(results)
end

--- Converts all tensors to complex numbers if one of them is complex.
-- @tparam {torch.Tensor,...} tensors
-- @treturn {torch.Tensor,...}
function matrix.alike(tensors)
  local type, isComplex = commonType(tensors)
  local converted = {}
  for i, x in ipairs(tensors) do converted[i] = isComplex and torch.to(x, type) or x end
  return converted
end

local function anyTracked(...)
  for i = 1, select('#', ...) do
    local x = select(i, ...)
    if C.isTensor(x) and C.tracked(x) then return true end
  end
  return false
end

--- Gives a function a derivative: the tape records it as one op.
-- @string name for messages
-- @tparam {string,...} arguments their names
-- @tparam function forward returns one tensor
-- @string saves what the gradient needs, as in autograd.rules
-- @tparam function gradient from the gradient of the result, and what was saved, to the gradients of all arguments
-- @treturn function
function matrix.recorded(name, arguments, forward, saves, gradient)
  local onTape
  return function(...)
    if not anyTracked(...) then return forward(...) end
    onTape = onTape or extensions.get('tape').declare(name, forward, { arguments = arguments, saves = saves, gradient = gradient })
    return onTape(...)
  end
end

--- The gradient of an analytic function of a matrix: the upper right block of f of [a' g; 0 a'].
-- Source: R. Mathias (1996), "A chain rule for matrix functions and applications", SIAM J. Matrix Anal. Appl. 17.
-- @tparam function f
-- @tparam torch.Tensor g
-- @tparam torch.Tensor a
-- @treturn torch.Tensor
function matrix.chain(f, g, a)
  local n, at = a:size(-1), matrix.t(a)
  return matrix.part(f(matrix.blocks { { at, g }, { torch.mul(at, 0), at } }), 1, n, n + 1, n)
end

return matrix
