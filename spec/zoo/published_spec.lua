-- Networks with published weights against what PyTorch gave with them.
local torch = require 'torch'
local zoo = require 'zoo'
local paths = require 'paths'
local assertClose = require('spec.support.close').assertClose

local folder = '../shared/data/models/'
local isThere = paths.filep(folder .. 'expected.npz')
local test = isThere and it or pending      -- the weights are not part of this repository

describe('published weights', function()
  local figures
  setup(function() figures = isThere and torch.npz.load(folder .. 'expected.npz') end)

  local function load(name, file) return zoo.load(name, folder .. file):float() end

  test("give CREPE's pitches", function()
    local net = load('crepe_tiny', 'crepe_tiny.pth')
    assertClose(figures.crepe_out, torch.noGrad(function() return net(figures.crepe_in:float()) end), { atol = 1e-5 })
  end)

  for _, part in ipairs { 'pnet', 'rnet', 'onet' } do
    test(("give MTCNN's faces: %s"):format(part), function()
      local net = load('mtcnn_' .. part, ('mtcnn_%s.pt'):format(part))
      local outputs = { torch.noGrad(function() return net(figures[part .. '_in']:float()) end) }
      assert.equal(part == 'onet' and 3 or 2, #outputs)
      local order = part == 'pnet' and { 1, 2 } or { 1, 2, 3 }
      for i, output in ipairs(outputs) do assertClose(figures[('%s_out%d'):format(part, order[i])], output, { atol = 1e-5 }) end
    end)
  end

  test("give Silero's probabilities of speech", function()
    local net, state = load('silero_vad', 'silero.jit'), nil
    local sound = figures.silero_in:float()
    for i = 1, figures.silero_out:nElement() do
      local chunk = sound:narrow(1, (i - 1) * 512 + 1, 576):view(1, 576)
      local y
      y, state = torch.noGrad(function() return net(chunk, state) end)
      assertClose(figures.silero_out[i], y:sum(), { atol = 1e-5 })
    end
    assertClose(figures.silero_state, state, { atol = 1e-4 })
  end)

  test("are read from Silero's safetensors file, of another training", function()
    local net, report = zoo.load('silero_vad', folder .. 'silero_16k.safetensors')
    assert.equal(report.count, report.fitting)
    local y = torch.noGrad(function() return net(figures.silero_in:double():narrow(1, 1, 576):view(1, 576)) end)
    assert.is_true(y:sum() > 0 and y:sum() < 1)
  end)
end)
