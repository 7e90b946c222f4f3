--- Promotion of real vectors to complex ones, for iterative methods whose matrix may be of complex numbers.
-- @module torch.linalg.promotion
local torch = require 'torch'

local promotion = {}

--- Returns x as complex numbers of its precision; x itself if it has complex numbers.
function promotion.complex(x)
  if x:isComplex() then return x end
  return torch.to(x, x:type() == 'torch.FloatTensor' and 'torch.ComplexFloatTensor' or 'torch.ComplexDoubleTensor')
end

--- Returns the type in which numbers of a type are computed: float64 or complex128.
-- @string type
function promotion.wide(type) return type:find 'Complex' and 'torch.ComplexDoubleTensor' or 'torch.DoubleTensor' end

--- Returns whether products of an operator with real vectors are complex: of a matrix by its type, of others by a product.
-- @param given what the caller of the method gave
-- @tparam table own its operator
-- @tparam torch.Tensor x a vector that it takes
function promotion.hasComplexProducts(given, own, x)
  if torch.isTensor(given) or torch.sparse.isSparse(given) then return given:type():find 'Complex' ~= nil end
  return own:mv(x):isComplex()
end

return promotion
