--- Sweep: the memory sharing and the sizes of results agree with the declaration.
local torch = require 'torch'
local ops = require 'torch.sweep.op'
local samples = require 'torch.sweep.samples'

local function sizesOf(x) return table.concat(x:size():totable(), ' x ') end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong, info = {}, op.info
  if op.composed or info.method == 'alwaysInPlace' or info.results == 0 then return wrong end
  for _, sample in ipairs(samples.of(op, ops.mainType(op))) do
    local function note(text) wrong[#wrong + 1] = ('%s: %s'):format(samples.describe(sample), text) end
    local arguments = samples.copied(sample)
    local x, results = arguments[1], { op.call(unpack(arguments, 1, arguments.n)) }
    local y = results[1]
    if torch.isTensor(x) and torch.isTensor(y) and y:nElement() > 0 then
      local shares = y:storage() == x:storage()
      if shares and info.sharing == 'none' then note 'the result has the memory of the first argument' end
      if not shares and info.sharing == 'view' then note 'the result has memory of its own, and is declared a view' end
      if info.extent == 'same' and sizesOf(y) ~= sizesOf(x) then
        note(('sizes %s, expected %s as declared'):format(sizesOf(y), sizesOf(x)))
      end
    end
    for r = 2, #results do
      local z = results[r]
      local alike = not torch.isTensor(y) or not torch.isTensor(z) or sizesOf(y) == sizesOf(z)
      if info.extent ~= 'any' and not alike then
        note(('result %d has sizes %s, the first %s'):format(r, sizesOf(z), sizesOf(y)))
      end
    end
  end
  return wrong
end
