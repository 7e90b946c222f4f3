--- Signals: Fourier and cosine transforms, spectrograms, windows, filters.
-- A complex number is a pair: complex tensors have a last dimension of 2, real and imaginary part. Tensors have floats or doubles, and
-- results have the arguments' type. All functions support the tape unless their documentation says otherwise. Parts are loaded on
-- first use.
-- @module signal
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local signal = {}
package.loaded.signal = signal

require 'torch.start.lazy_loader'(signal, [[
  signal.fourier: fftn ifftn rfftn irfftn hfft ihfft
  signal.fourier: fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fft3 ifft3 fftM ifftM rfftM irfftM
  signal.dct: dct idct dct2 idct2 dct3 idct3
  signal.stft: stft rstft istft spectrogram
  signal.window: hann hamming blackman blackmanharris flattop bartlett rect gaussian tukey kaiser
  signal.cepstrum: hilbert unwrap rcunwrap rcwrap cceps icceps rceps
  signal.conv: conv1d fftconvolve convolve correlate correlationLags
  signal.filter: lfilter filtfilt sosfilt sosfiltfilt freqz
  signal.smooth: savgol savgolWeights medfilt detrend
  signal.peaks: findPeaks peakProminences peakWidths
  signal.waves: square sawtooth
  signal.design: butter cheby1 cheby2 firwin
  signal.resample: resample resample_poly decimate
  signal.spectrum: welch fftfreq rfftfreq fftshift ifftshift chirp
  signal.mel: melFilters melSpectrogram powerToDb mfcc cqt
  complex = signal.complex
  wavelet = signal.wavelet
]])

return signal
