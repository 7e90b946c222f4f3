--- Signals: Fourier and cosine transforms, spectrograms, windows, filters.
-- A complex number is a pair: tensors of them have a last dimension of 2, real and imaginary part. Tensors are of floats or doubles, and
-- results have the type of what came. Everything works on the tape, unless a function says otherwise. Parts are read when they are first
-- asked for.
-- @module signal
require 'torch'

local signal = {}
package.loaded.signal = signal

require 'torch.parts'(signal, [[
  signal.fourier: fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fft3 ifft3 fftM ifftM rfftM irfftM
]])

return signal
