--- The plug-in for the specs of spec/cuda: the emulated one, or with MT_SPEC_CUDA=moontorch_cuda the real one (bin/gpu-check).
local gpu = {}

local name = os.getenv 'MT_SPEC_CUDA' or 'moontorch_cuda_emulated'

--- The library's name, as in lib<library>.so.
gpu.library = name

--- Its path in the build's folder.
gpu.path = ('build/%s/lib/lib%s.so'):format(os.getenv 'MT_PRESET' or 'release', name)

--- The value of MOONTORCH_CUDA for it.
gpu.wish = name == 'moontorch_cuda_emulated' and 'emulated' or gpu.path

return gpu
