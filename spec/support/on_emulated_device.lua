--- The registry's sweeps on an emulated GPU (cuda/emulated).
-- MT_SPEC_CUDA=moontorch_cuda: on a real one.
return require 'spec.support.on_device'(require('spec.support.gpu').library, 'cuda:1', require 'spec.cuda.without_kernel')
