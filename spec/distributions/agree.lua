-- Comparison of tensors with nested lists of figures.
local torch = require 'torch'
local assert = require 'luassert'

local agree = {}

local function flat(x, list)
  if type(x) ~= 'table' then list[#list + 1] = x end
  for _, one in ipairs(type(x) == 'table' and x or {}) do flat(one, list) end
  return list
end

-- The sizes of nested lists, { 1 } for a number.
local function sizesOf(x)
  local sizes = {}
  while type(x) == 'table' do sizes[#sizes + 1], x = #x, x[1] end
  return #sizes > 0 and sizes or { 1 }
end

--- Asserts that a tensor has the sizes and, within a relative tolerance (absolute below 1), the numbers of nested lists.
-- @param expected number or nested lists
-- @tparam torch.Tensor actual
-- @number tolerance
-- @string what for messages
-- @bool[opt] anySize whether sizes may differ by leading ones
function agree.near(expected, actual, tolerance, what, anySize)
  local list, numbers = flat(expected, {}), actual:double():contiguous():view(-1):totable()
  if not anySize then assert.same(sizesOf(expected), actual:size():totable(), what) end
  assert.equal(#list, #numbers, what)
  for i, wanted in ipairs(list) do
    local got = numbers[i]
    local good = wanted ~= wanted and got ~= got or wanted == got or math.abs(wanted - got) <= tolerance * math.max(1, math.abs(wanted))
    if not good then error(('%s: element %d: %.17g, expected %.17g'):format(what, i, got, wanted)) end
  end
end

--- The distribution of a case. Lists are tensors; with `leaves`, so are numbers, all of which require gradients and are added to `leaves`.
-- @tparam table D the package
-- @string name
-- @tparam table args
-- @tparam ?table options
-- @tparam ?table leaves
-- @tparam ?table integers positions of arguments that stay numbers
-- @treturn table
function agree.build(D, name, args, options, leaves, integers)
  local fixed, list, named = {}, {}, nil
  for _, i in ipairs(integers or {}) do fixed[i] = true end
  local function value(x)
    if type(x) == 'number' and not leaves then return x end
    local one = torch.DoubleTensor(type(x) == 'table' and x or { x })
    if leaves then leaves[#leaves + 1] = one:requiresGrad() end
    return one
  end
  for i, x in ipairs(args) do list[i] = fixed[i] and x or value(x) end
  for key, x in pairs(options or {}) do
    named = named or {}
    named[key] = value(x)
  end
  list[#list + 1] = named
  return D[name](unpack(list))
end

--- Asserts the gradients of the sum of y.
-- @tparam table expected lists by leaf
-- @tparam {torch.Tensor,...} leaves
-- @tparam torch.Tensor y
-- @number tolerance
-- @string what
function agree.gradients(expected, leaves, y, tolerance, what)
  torch.sum(y):backward()
  for i, wanted in ipairs(expected) do
    local found = leaves[i].grad or torch.zeros(leaves[i]:size())
    agree.near(wanted, found, tolerance, ('%s: gradient %d'):format(what, i))
    leaves[i].grad = nil
  end
end

return agree
