--- Why a kernel spills, or fills less than half a multiprocessor: by a Lua pattern of its name (bench/gpu_kernels.lua).
return {}
