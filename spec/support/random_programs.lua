--- Random programs of elementwise ops, reductions, products, views and writes.
local torch = require 'torch'

local unary = { 'exp', 'tanh', 'sigmoid', 'abs', 'neg', 'sqrt', 'square', 'sign', 'floor', 'log1p', 'softplus', 'cos' }
local binary = { 'add', 'cmul', 'csub', 'cmax', 'cdiv', 'cmin' }
local function random(n) return math.random(n) end

--- Returns a program of three matrices of the same sizes, the last of which it overwrites; each call does the same.
-- @int seed
-- @string[opt] kind 'long': programs without products
-- @treturn function
return function(seed, kind)
  math.randomseed(seed)
  return function(a, b, state)
    math.randomseed(seed)
    local values = { a, b, torch.add(state, 0) }
    local function any() return values[random(#values)] end
    for _ = 1, 4 + random(14) do
      local case, v = random(12), any()
      if case <= 5 then
        v = torch[unary[random(#unary)]](v)
      elseif case <= 8 then
        v = torch[binary[random(#binary)]](v, any())
      elseif case == 9 then
        v = torch.mul(v, random(5) - 3)
      elseif case == 10 then
        v = torch.expand(torch.sum(v, 1 + random(2) % 2), a:size())
      elseif case == 11 then
        v = torch.softmax(torch.add(v, any()), 2)
      elseif kind ~= 'long' and random(2) == 1 then
        v = torch.mm(v, torch.transpose(any(), 1, 2)):narrow(2, 1, 1):expandAs(a)
      else
        state:add(v)
        v = torch.add(state, v)
      end
      values[#values + 1] = v
    end
    return values[#values], values[#values - 1], torch.sum(any(), 2), torch.max(any(), 2)
  end
end
