-- If the address space is exhausted: checks for room for BLAS's buffers before loading it, because OpenBLAS would retry forever.
local program = require 'spec.support.program'

local sanitized = (os.getenv 'MT_PRESET' or ''):find 'san' ~= nil

describe('a product where BLAS cannot have its buffers', function()
  for _, kilobytes in ipairs { 60000, 140000, 300000 } do
    it(('comes all the same, in %d KB of addresses'):format(kilobytes), function()
      if sanitized then return pending 'sanitizers take addresses without end' end
      local script = program.script [[
        local torch = require 'torch'
        local x = torch.range(1, 10000):view(100, 100)
        local y = torch.mm(x, torch.eye(100))
        torch.gesv(torch.ones(3, 1), torch.eye(3))
        io.write(tostring(y:equal(x)))
      ]]
      local output, status = program.run({ script }, '', ('ulimit -v %d; timeout 60'):format(kilobytes))
      os.remove(script)
      assert.equal('true', output)
      assert.equal(0, status)
    end)
  end
end)
