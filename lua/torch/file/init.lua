--- Files and serialization: all code that reads or writes t7.
-- Called after the tensor and storage classes exist.
-- @module torch.file

--- Adds File, DiskFile, PipeFile, MemoryFile, save, load, serialize and deserialize to torch.
-- @tparam table torch
return function(torch)
  local File = require 'torch.file.file'
  local DiskFile = require 'torch.file.disk_file'(torch, File)
  require 'torch.file.pipe_file'(torch, DiskFile)
  require 'torch.file.memory_file'(torch, File)
  require('torch.file.tensors').install(torch)
  require 'torch.file.serialization'
end
