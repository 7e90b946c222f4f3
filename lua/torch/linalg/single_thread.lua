--- Calls of libraries that use BLAS, on one thread: their matrices are small, and threads of OpenBLAS multiply the time.
-- @module torch.linalg.single_thread
local torch, ffi = require 'torch', require 'ffi'
local library = require 'torch.library'

ffi.cdef [[
int omp_get_max_threads(void);
void omp_set_num_threads(int);
]]

local openmp

local single = {}

--- Makes the engine open BLAS and OpenMP, with its settings, before another library does.
function single.prepare()
  if openmp ~= nil then return end
  torch.inverse(torch.eye(2))
  local good, found = pcall(library.system, 'gomp', 'torch.linalg')
  openmp = good and found
end

--- Calls a C function.
-- @param f the function, which raises no error
-- @param ... its arguments
-- @return its result
function single.call(f, ...)
  if not openmp then return f(...) end
  local before = openmp.omp_get_max_threads()
  openmp.omp_set_num_threads(1)
  local result = f(...)
  openmp.omp_set_num_threads(before)
  return result
end

return single
