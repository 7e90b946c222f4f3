-- Numbers of threads and of processors.
local torch = require 'torch'

describe('torch.getnumcores', function()
  it('counts processors, not the threads that are set', function()
    local cores, threads = torch.getnumcores(), torch.getnumthreads()
    torch.setnumthreads(cores + 1)
    assert.equal(cores, torch.getnumcores())
    assert.equal(cores + 1, torch.getnumthreads())
    torch.setnumthreads(threads)
    local pipe = io.popen 'getconf _NPROCESSORS_ONLN'
    assert.equal(tonumber(pipe:read '*l'), cores)
    pipe:close()
  end)
end)
