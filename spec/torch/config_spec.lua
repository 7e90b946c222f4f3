-- torch.config: the computing libraries of this machine.
local program = require 'spec.support.program'
local torch = require 'torch'

-- The output of th for a script with these environment variables.
local function under(environment, text)
  local script = program.script(text)
  local output = program.run({ script }, '', environment)
  os.remove(script)
  return output
end

describe('torch.config', function()
  it('names the BLAS that this process has open', function()
    local config = torch.config()
    local maps = io.open '/proc/self/maps'
    if config.blas and maps then
      local real = io.popen("readlink -f '" .. config.blas .. "'")
      assert.truthy(maps:read('*a'):find(real:read '*l', 1, true))
      real:close()
      maps:close()
    end
    assert.equal(os.getenv 'MOONTORCH_BLAS' == '0', config.blas == nil)
    assert.is_true(config.gflops > 0 and config.gflops < 1e5)
    assert.equal(torch.getnumcores(), config.cores)
  end)

  it('tells what the environment turned off', function()
    assert.equal('nil nil false', under('MOONTORCH_BLAS=0 MOONTORCH_DNNL=0', [[
      local config = torch.config()
      io.write(tostring(config.blas), ' ', tostring(config.blasKernels), ' ', tostring(config.dnnl))]]))
  end)

  it('follows setnumthreads, and is printed line by line', function()
    local threads = torch.getnumthreads()
    torch.setnumthreads(3)
    local config = torch.config()
    torch.setnumthreads(threads)
    assert.equal(3, config.threads)
    local lines = '^Moontorch %d[^\n]*\nkernels: %w+\nBLAS: [^\n]+\noneDNN: [%w.]+\nthreads: 3, processors: %d+\nproducts [^\n]+ GFLOP/s$'
    assert.matches(lines, tostring(config))
  end)
end)
