-- Published models with the outputs of ONNX Runtime (../shared/data/models).
local torch, onnx = require 'torch', require 'onnx'

local folder = '../shared/data/models/'
local expected = io.open(folder .. 'expected.npz', 'rb')
if expected then expected:close() end

describe('a published model', function()
  if not expected then
    pending('is not here: ../shared/data/models')
    return
  end
  local figures = torch.npz.load(folder .. 'expected.npz')

  for _, file in ipairs { 'silero.onnx', 'silero_op18.onnx' } do
    it(('finds speech: %s'):format(file), function()
      local model, state = onnx.load(folder .. file), torch.zeros(2, 1, 128):float()
      local sound, rate = figures.silero_in, torch.LongTensor { 16000 }
      local prepared
      for i = 1, 8 do
        local chunk = sound:narrow(sound:dim(), (i - 1) * 512 + 1, 576):contiguous():view(1, 576)
        prepared = prepared or model:graph({ input = chunk, state = state }, { sr = rate }):prepare(chunk, state)
        local results = model:run { input = chunk, state = state, sr = rate }
        assert.is_true(math.abs(results.output[1][1] - figures.silero_out:view(-1)[i]) < 1e-5)
        local output, next = prepared(chunk, state)
        assert.is_true((output - results.output):abs():max() < 1e-5)
        assert.is_true((next - results.stateN):abs():max() < 1e-4)
        state = results.stateN
      end
      assert.is_true((state - figures.silero_state):abs():max() < 1e-4)
      local counts = model.graphs:info()
      assert.are.same({ 1, 1, 6 }, { counts.plain, counts.capture, counts.graph })      -- the guards hold from chunk to chunk
    end)
  end

  it('tells the types of files', function()
    local model = onnx.load(folder .. 'magika.onnx')
    local bytes = figures.magika_in:int()
    assert.is_true((model:run { bytes = bytes }.target_label - figures.magika_out):abs():max() < 2e-4)
    local one = bytes:narrow(1, 1, 1)      -- any number of files
    assert.is_true((model:run { bytes = one }.target_label - figures.magika_out:narrow(1, 1, 1)):abs():max() < 2e-4)
  end)
end)
