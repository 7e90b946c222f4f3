-- Convolutions with each version of oneDNN that the system has, of major version 2 or 3; MT_ONEDNN names more files, separated by colons.
-- The expected values are float64 results of plain loops. spec/engine/conv_test.cpp compares all kinds of convolutions with their
-- definition, and is run with each of them here.
local native = require 'torch.native'
local program, shell = require 'spec.support.program', require 'spec.support.shell'

local found = {}
for path in (shell 'ldconfig -p 2>/dev/null; /sbin/ldconfig -p'):gmatch '=> (%S*/libdnnl%.so%.%S+)' do found[path] = true end
for path in (os.getenv 'MT_ONEDNN' or ''):gmatch '[^:]+' do found[path] = true end

local script = [[
local torch = require 'torch'
torch.manualSeed(3)
local function off(of, ...)
  local wide, narrow = { of(...) }, {}
  for i = 1, select('#', ...) do
    local x = select(i, ...)
    narrow[i] = torch.isTensor(x) and x:float() or x
  end
  local most = 0
  for i, y in ipairs { of(unpack(narrow)) } do
    most = math.max(most, (y:double() - wide[i]):abs():max() / wide[i]:abs():max())
  end
  return most
end
local most = math.max(
  off(torch.conv2d, torch.randn(4, 16, 24, 20), torch.randn(32, 16, 3, 3), torch.randn(32), 1, 1, 1, 1),
  off(torch.conv2d, torch.randn(4, 32, 17, 20), torch.randn(24, 16, 5, 3), torch.randn(24), 2, 1, 2, 0, 1, 2, 2),
  off(torch.conv1d, torch.randn(3, 32, 200), torch.randn(40, 32, 5), torch.randn(40), 1, 2),
  off(torch.conv3d, torch.randn(2, 16, 6, 12, 10), torch.randn(16, 16, 3, 3, 2), torch.randn(16)),
  off(torch.conv2d_input_grad, torch.randn(4, 32, 24, 20), torch.randn(32, 16, 3, 3), 24, 20, 1, 1, 1, 1),
  off(torch.conv2d_weight_grad, torch.randn(4, 32, 24, 20), torch.randn(4, 16, 24, 20), 3, 3, 1, 1, 1, 1))
io.write(tostring(torch.config().dnnlVersion), ' ', most < 2e-5 and 'the same' or most)
]]

describe('oneDNN', function()
  local preset = os.getenv 'MT_PRESET' or 'release'
  if os.getenv 'MOONTORCH_DNNL' or preset == 'tsan' or not next(found) then
    return pending 'is not here, or chosen already'
  end

  local default = require('torch').config().dnnlVersion or ''

  for path in pairs(found) do
    local version = path:match '%.so%.(%d+)'
    it(path .. ' convolves', function()
      local name = program.script(script)
      local output, status, errors = program.run({ name }, '', ('MOONTORCH_DNNL=%s'):format(path))
      os.remove(name)
      assert.equal(0, status, errors)
      assert.matches('^' .. version .. '%.%d+%.%d+ the same$', output)
      local test = ('build/%s/bin/engine_test'):format(preset)
      if native.exists(test) and not default:find('^' .. version) then      -- which ctest runs with the default
        local said, failed = shell(("MOONTORCH_DNNL=%s %s -tc='*onvolution*'"):format(path, test))
        assert.equal(0, failed, said)
      end
    end)
  end

  it('is not opened from a file that is none', function()
    local output = program.run({ '-e', "io.write(tostring(torch.config().dnnl), ' ', torch.conv2d(torch.ones(1, 8, 40, 40):float(), " ..
      "torch.ones(8, 8, 3, 3):float()):max())" }, '', 'MOONTORCH_DNNL=/nowhere/libdnnl.so.3')
    assert.equal('false 72', output)
  end)
end)
