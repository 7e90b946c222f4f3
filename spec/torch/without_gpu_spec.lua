-- Torch7's packages of CUDA on a machine without a GPU: programs that require them and run on the CPU continue; a pcall of
-- require returns an error that they are missing.
local program = require 'spec.support.program'

local off = 'MOONTORCH_CUDA=off'

local function run(text)
  local output, status, errors = program.run({ '-e', text }, '', off)
  return output, errors, status
end

describe('Without a GPU', function()
  for _, name in ipairs { 'cutorch', 'cunn', 'cudnn' } do
    it(("require '%s' warns once, and the program goes on"):format(name), function()
      local output, errors, status = run(([[
        require '%s' require 'cutorch' require 'cunn'
        cutorch.manualSeed(1) cutorch.synchronize()
        print(cutorch.getDeviceCount(), nn.Linear(3, 2):forward(torch.ones(3)):size(1))
        print(torch.type(torch.ones(1)) == 'torch.CudaTensor')]]):format(name))
      assert.equal('0\t2\t\nfalse\t\n', output)
      assert.equal(0, status)
      assert.matches('^warning: cutorch: CUDA: [^\n]*MOONTORCH_CUDA=off[^\n]*; the program continues without a GPU\n$', errors)
    end)

    for _, form in ipairs { "pcall(require, '%s')", "pcall(function() require '%s' end)",
                            "xpcall(function() require '%s' end, function(m) return m end)" } do
      it(form:format(name) .. ' raises the error', function()
        local output, errors = run(('print(%s) print(rawget(torch, "CudaTensor"))'):format(form:format(name)))
        assert.matches('^false\t[^\n]*MOONTORCH_CUDA=off', output)
        assert.matches('nil\t\n$', output)
        assert.equal('', errors)
      end)
    end
  end

  it('it is reported once more if nothing handles the error', function()
    local output, errors = run "print((pcall(require, 'cutorch'))) local function load() require 'cutorch' return 1 end print(load())"
    assert.equal('false\t\n1\t\n', output)
    assert.matches('^warning: cutorch: ', errors)
  end)

  it('the first CUDA tensor raises the error', function()
    local message = '^false\t[^\n]*MOONTORCH_CUDA=off in the environment says that it is not to be used'
    for _, text in ipairs { 'torch.CudaTensor(3)', 'torch.CudaDoubleTensor(3)', 'torch.CudaStorage(3)', 'torch.CudaTensor.new(3)',
                            'torch.ones(3):cuda()', 'nn.Linear(1, 1):cuda()', "torch.ones(1):type 'torch.CudaTensor'",
                            'cutorch.setDevice(1)' } do
      assert.matches(message, (run(("require 'cunn' print(pcall(function() local x = %s end))"):format(text))))
    end
  end)
end)
