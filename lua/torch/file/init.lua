--- Files and serialization: everything that reads or writes t7.
-- Called once the tensor and storage classes exist.
-- @module torch.file

--- Puts File, DiskFile, PipeFile, MemoryFile, save, load, serialize and deserialize into torch.
-- @tparam table torch
return function(torch)
  local File = require 'torch.file.file'
  local DiskFile = require 'torch.file.disk_file'(torch, File)
  require 'torch.file.pipe_file'(torch, DiskFile)
  require 'torch.file.memory_file'(torch, File)
  require('torch.file.tensors').install(torch)
  require 'torch.file.serialization'
end
