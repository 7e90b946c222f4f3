--- Lets torch.cuda use the emulated GPUs (cuda/emulated). Returns false if the build has none.
local ffi = require 'ffi'

pcall(ffi.cdef, 'int setenv(const char *name, const char *value, int overwrite);')

local library = require('spec.support.gpu').path
local file = io.open(library)
if not file then return false end
file:close()
ffi.C.setenv('MOONTORCH_CUDA', require('spec.support.gpu').wish, 1)
return true
