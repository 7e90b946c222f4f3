--- Readers of data: each returns tensors from a file, or raises an error with the byte or the line, the expected and the actual content.
-- Readers check sizes in a file against the file's length before they allocate memory.
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
