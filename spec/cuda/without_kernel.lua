--- Ops that have no kernel for GPUs, and why: docs/gpu.md says it, too.
local transforms = 'Fourier transforms run on the CPU so far'
return { fft_c2c = transforms, fft_r2c = transforms, fft_c2r = transforms }
