-- Errors of products of matrices and vectors name the argument whose number of dimensions or size does not fit, and the expected one.
local torch = require 'torch'

-- Op -> sizes of the arguments that fit, the names of both factors, and calls that don't: sizes, and the message about a factor (1 or 2).
local function vector(n) return { n } end
local cases = {
  mv = { 'a', 'x', { { 2, 3 }, vector(3) },
    { { { 2, 3, 1 }, { 3 } }, 1, '[2, 3, 1], expected 2 dimensions' }, { { { 3 }, { 3 } }, 1, '[3], expected 2 dimensions' },
    { { { 2, 3 }, { 3, 1 } }, 2, '[3, 1], expected 1 dimension' }, { { { 2, 3 }, { 2 } }, 2, '[2], expected size 3 of dimension 1' } },
  mm = { 'a', 'b', { { 2, 3 }, { 3, 4 } },
    { { { 3 }, { 3, 4 } }, 1, '[3], expected 2 dimensions' }, { { { 1, 2, 3 }, { 3, 4 } }, 1, '[1, 2, 3], expected 2 dimensions' },
    { { { 2, 3 }, { 3 } }, 2, '[3], expected 2 dimensions' }, { { { 2, 3 }, { 3, 4, 1 } }, 2, '[3, 4, 1], expected 2 dimensions' },
    { { { 2, 3 }, { 2, 3 } }, 2, '[2, 3], expected size 3 of dimension 1' } },
  ger = { 'x', 'y', { vector(2), vector(3) },
    { { { 2, 1 }, { 3 } }, 1, '[2, 1], expected 1 dimension' }, { { { 2 }, { 3, 1 } }, 2, '[3, 1], expected 1 dimension' } },
  bmm = { 'a', 'b', { { 2, 3, 4 }, { 2, 4, 5 } },
    { { { 3, 4 }, { 2, 4, 5 } }, 1, '[3, 4], expected 3 dimensions' },
    { { { 2, 3, 4, 1 }, { 2, 4, 5 } }, 1, '[2, 3, 4, 1], expected 3 dimensions' },
    { { { 2, 3, 4 }, { 4, 5 } }, 2, '[4, 5], expected 3 dimensions' },
    { { { 2, 3, 4 }, { 2, 4, 5, 1 } }, 2, '[2, 4, 5, 1], expected 3 dimensions' },
    { { { 2, 3, 4 }, { 3, 4, 5 } }, 2, '[3, 4, 5], expected size 2 of dimension 1' },
    { { { 2, 3, 4 }, { 2, 3, 5 } }, 2, '[2, 3, 5], expected size 4 of dimension 2' } },
}

-- Their forms that add the product to a tensor: op -> the product, and sizes of its result.
for name, added in pairs {
  addmv = { 'mv', { 2 } }, addmm = { 'mm', { 2, 4 } }, addr = { 'ger', { 2, 3 } }, baddbmm = { 'bmm', { 2, 3, 5 } },
  addbmm = { 'bmm', { 3, 5 } },
} do
  local product, list = cases[added[1]], {}
  local function withResult(sizes) return { added[2], unpack(sizes) } end
  for i = 4, #product do list[i] = { withResult(product[i][1]), product[i][2], product[i][3] } end
  cases[name] = { 'a', 'b', withResult(product[3]), unpack(list, 4, #product) }
end

describe('sizes of the product', function()
  for name, case in pairs(cases) do
    it(name, function()
      local function call(sizes)
        local arguments = {}
        for i, size in ipairs(sizes) do arguments[i] = torch.ones(unpack(size)) end
        return torch[name](unpack(arguments))
      end
      assert.is_true(torch.isTensor(call(case[3])))
      for i = 4, #case do
        local sizes, factor, expected = unpack(case[i])
        local _, message = pcall(call, sizes)
        message = tostring(message)
        assert(message:find(('%s: %s: %s'):format(name, case[factor], expected), 1, true), message)
      end
    end)
  end
end)
