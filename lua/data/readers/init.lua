--- Readers of data: each gives tensors of what a file holds, or says in one sentence what is wrong with it: the byte or the line, what was
-- expected, what stands there. What a file claims is checked against its length before memory is asked for.
-- @module data.readers
local readers = {}

require 'torch.start.lazy_loader'(readers, [[
  idx = data.readers.idx
  cifar = data.readers.cifar
  wav = data.readers.wav
  csv = data.readers.csv
  jsonl = data.readers.jsonl
  text = data.readers.text
]])

return readers
