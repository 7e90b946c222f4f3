-- Which ops have kernels for GPUs: all that have one for the CPU, but for those that are listed with a reason.
local torch = require 'torch'
require 'spec.support.on_emulated_device'
local without = require 'spec.cuda.without_kernel'

describe('kernels for GPUs', function()
  for _, name in ipairs(torch.ops()) do
    local devices = torch.ops[name].devices
    if devices then
      local reason = without[name]
      it(name .. (reason and ' has none: ' .. reason or ' has one'), function()
        local here = false
        for _, device in ipairs(devices) do here = here or device == 'cuda:1' end
        assert.equal(reason == nil, here)
        assert(not reason or #reason > 10, 'no reason is given')
      end)
    end
  end

  it('are listed in docs/gpu.md where they are missing', function()
    local page = assert(io.open 'docs/gpu.md'):read '*a'
    for name in pairs(without) do assert.matches('`' .. name .. '`', page, 1, true) end
  end)
end)
