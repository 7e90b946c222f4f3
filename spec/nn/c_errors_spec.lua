-- Errors of modules and criteria in the C interface: one sentence that begins with the class that refused the input, and its status. Every
-- class of nn, in a container, gets inputs that few classes accept.
local torch, nn = require 'torch', require 'nn'
local c, samples = require 'spec.support.c_interface', require 'spec.support.nn_samples'

local wrong = {
  { 'a text', function() return 'text' end },
  { '7 dimensions', function() return torch.zeros(1, 1, 1, 1, 1, 1, 1) end },
  { 'other sizes', function() return torch.zeros(2, 61) end },
  { 'no element', function() return torch.zeros(0) end },
  { 'a list', function() return { torch.zeros(2, 61), torch.zeros(3) } end },
}

describe('an error of nn in C', function()
  local session, path = nil, os.tmpname()
  setup(function() session = c.open() end)
  teardown(function()
    c.close(session)
    os.remove(path)
  end)

  local function check(words, status, message)
    if status == 'ok' then return end
    assert.is_true(status ~= 'lua' and status ~= 'internal', ('%s: %s: %s'):format(words, status, message))
    assert.is_nil(message:find '\n', words)
    assert.matches('^[%w_.]+: ', message, words)
  end

  for _, class in ipairs(samples.classes()) do
    local sample = samples.of(class)[1]
    if sample then
      it('of ' .. class.declaration.name, function()
        local isCriterion = samples.isCriterion(class)
        local object = isCriterion and samples.criterionOf(sample) or nn.Sequential():add(samples.moduleOf(sample))
        torch.save(path, object)
        for _, case in ipairs(wrong) do
          if isCriterion then
            check(case[1], c.callFile(session, path, case[2](), torch.ones(3)))
          else
            local status, message = c.callFile(session, path, case[2]())
            check(case[1], status, message)
            if status ~= 'ok' then assert.matches('in module 1 of nn.Sequential%)$', message, case[1]) end
          end
        end
      end)
    end
  end

  it('names the place in nested containers from the inside out', function()
    torch.save(path, nn.Sequential():add(nn.Tanh()):add(nn.Sequential():add(nn.Linear(3, 2))))
    local status, message = c.callFile(session, path, torch.zeros(2, 4))
    assert.equal('shape', status)
    assert.matches('^nn.Linear: .*%(in module 1 of nn.Sequential in module 2 of nn.Sequential%)$', message)
    assert.is_nil(message:find '\n')
  end)

  it('has the kind of the check that refused', function()
    local kinds = {
      { nn.ClassNLLCriterion(), 'range', torch.zeros(2, 3), torch.Tensor { 1, 4 } },
      { nn.ClassNLLCriterion(), 'shape', torch.zeros(2, 3, 4, 5, 6), torch.Tensor { 1, 2 } },
      { nn.LookupTable(3, 2), 'range', torch.Tensor { 4 } },
      { nn.SpatialConvolution(1, 1, 3, 3), 'shape', torch.zeros(3, 3) },
      { nn.View(3), 'shape', torch.zeros(4) },
      { nn.Linear(2, 2), 'invalid', 3 },
      { nn.MSECriterion(), 'shape', torch.zeros(2), torch.zeros(3) },
    }
    for _, case in ipairs(kinds) do
      torch.save(path, case[1])
      local status, message = c.callFile(session, path, unpack(case, 3))
      assert.equal(case[2], status, message)
    end
  end)

  it('is in Lua what it was: the place in front, a stack behind', function()
    local net = nn.Sequential():add(nn.Linear(3, 2))
    local _, message = pcall(net.forward, net, torch.zeros(2, 4))
    assert.matches('^\nIn 1 module of nn.Sequential:\n.*nn.Linear: .*\nstack traceback:.*WARNING: If you see', message)
  end)
end)
