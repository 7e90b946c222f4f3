--- Batches that request all their samples before they wait for the first one.
-- @module torchnet.dataset.coroutinebatchdataset
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'
local parent = torch.getmetatable 'tnt.BatchDataset'

--- Like tnt.BatchDataset, but the `get` of the underlying set runs in a coroutine for each sample. After it requests something and yields,
-- the other samples of the batch are requested before it continues.
-- @type tnt.CoroutineBatchDataset
local Coroutine = torch.class('tnt.CoroutineBatchDataset', 'tnt.BatchDataset', tnt)

Coroutine.__init = argcheck {
  help = 'Batches whose samples are loaded by coroutines.',
  { name = 'self', type = 'tnt.CoroutineBatchDataset' },
  { name = 'dataset', type = 'tnt.Dataset' }, { name = 'batchsize', type = 'number', help = 'samples a batch' },
  { name = 'perm', type = 'function', opt = true, help = '(idx, size) -> number of a sample' },
  { name = 'merge', type = 'function', opt = true, help = 'makes a batch of a list of samples' },
  { name = 'policy', type = 'string', default = 'include-last', help = "or 'skip-last', 'divisible-only'" },
  { name = 'filter', type = 'function', opt = true, help = 'says which samples a batch takes' },
  call = function(self, dataset, batchsize, perm, merge, policy, filter)
    parent.__init(self, dataset, batchsize, perm, merge, policy, filter)
  end,
}

-- Resumes a coroutine; returns its sample after it has ended.
local function go(thread, ...)
  local done, sample = coroutine.resume(thread, ...)
  if not done then error(debug.traceback(thread, tostring(sample)), 0) end
  return coroutine.status(thread) == 'dead', sample
end

--- A batch.
function Coroutine:get(index)
  local samples, threads, left = {}, {}, 0
  for k, i in ipairs(self:indicesOf(index)) do
    threads[k] = coroutine.create(function() return self.dataset:get(i) end)
    left = left + 1
  end
  while left > 0 do
    for k, thread in pairs(threads) do
      local ended, sample = go(thread)
      if ended then samples[k], threads[k], left = sample, nil, left - 1 end
    end
  end
  return self:merge(samples)
end

return { CoroutineBatchDataset = tnt.CoroutineBatchDataset }
