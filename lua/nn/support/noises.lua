--- The random factors of dropout.
-- @module nn.support.noises
local torch = require 'torch'

local noises = {}

--- Fills a tensor with zeros, with probability p, and ones.
-- @tparam torch.Tensor noise is resized
-- @tparam torch.Tensor input
-- @number p from 0 to 1
-- @tparam[opt] int dims if there is one, whole channels get the same number
-- @tparam[opt] boolean isSingle whether the input has channels in dimension 1, not a batch of them
-- @treturn torch.Tensor noise, which broadcasts to the input
function noises.draw(noise, input, p, dims, isSingle)
  local sizes = input:size()
  if dims then
    for d = isSingle and 2 or 3, input:dim() do sizes[d] = 1 end
  end
  noise:resize(sizes)
  if p == 1 then return noise:zero() end
  return noise:bernoulli(1 - p)
end

-- The limit of the SELU activation for large negative inputs.
local least = -1.7580993408473766

--- The formula of alpha dropout: a (noise (x - least) + least) + b, which is a x + b or a least + b.
-- Source: Klambauer et al. (2017), "Self-Normalizing Neural Networks", NIPS, section 2.
noises.alphaFormula = 'add(cmul(noise, mul(add(input, 1.7580993408473766), a)), b)'

--- Its numbers, with which mean 0 and variance 1 stay.
-- @number p
-- @treturn number a
-- @treturn number a least + b
function noises.alphaNumbers(p)
  if p == 1 then return 0, 0 end
  local a = 1 / math.sqrt((least * least * p + 1) * (1 - p))
  return a, a * least - a * least * p
end

--- Computes it by ops.
function noises.alpha(input, noise, p)
  local a, b = noises.alphaNumbers(p)
  return torch.add(torch.cmul(torch.mul(torch.add(input, -least), a), torch.expandAs(noise, input)), b)
end

return noises
