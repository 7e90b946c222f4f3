--- The registry's sweeps on an emulated GPU (cuda/emulated).
return require 'spec.support.on_device'('moontorch_cuda_emulated', 'cuda:1')
