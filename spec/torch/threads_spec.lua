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

describe('torch.setnumthreads', function()
  it('refuses invalid arguments, and changes nothing', function()
    local threads = torch.getnumthreads()
    for text, wrong in pairs { ['0, expected 1%.%.1024'] = 0, ['1025, expected 1%.%.1024'] = 1025, ['string, expected a number'] = 'a' } do
      assert.error_matches(function() torch.setnumthreads(wrong) end, 'setnumthreads: n: ' .. text)
    end
    assert.equal(threads, torch.getnumthreads())
  end)
end)
