#!/usr/bin/env python3
"""Figures for figures_spec.lua, from SciPy and librosa in float64: python3 spec/signal/figures.py >spec/signal/figures.lua

For each call of figures_spec.lua: the sizes of its result, a projection of it on fixed numbers, and its norm. Signals are formulas, which
figures_spec.lua has, too.
"""
import librosa
import numpy as np
import scipy
import scipy.fft
import scipy.signal as sg


def signal(n):
    i = np.arange(1, n + 1, dtype=np.float64)
    return np.sin(0.1 * i) + 0.5 * np.cos(0.73 * i + 1) + 0.1 * np.sin(i * i % 7)


x = signal(100)
long = signal(4000)
rate = 8000


def pairs(z):
    return np.stack([z.real, z.imag], -1)


def hann_frames(size, stride):
    w = np.hanning(size)
    return np.stack([np.fft.fft(x[i:i + size] * w) for i in range(0, len(x) - size + 1, stride)])


def mel(**options):
    return librosa.feature.melspectrogram(y=long, sr=rate, n_fft=512, hop_length=128, **options)


def iir(design, *args, **options):
    b, a = design(*args, **options)
    return np.concatenate([b, a])


figures = {
    'fft': pairs(np.fft.fft(x)),
    'rfft2': pairs(np.fft.rfft2(signal(63).reshape(9, 7))),
    'fft3': pairs(np.fft.fftn(signal(60).reshape(3, 4, 5))),
    'dct': scipy.fft.dct(x),
    'dct1': scipy.fft.dct(x, type=1),
    'dct3rd': scipy.fft.dct(x, type=3),
    'dct4': scipy.fft.dct(x, type=4),
    'dct1 ortho': scipy.fft.dct(x, type=1, norm='ortho'),
    'dct ortho': scipy.fft.dct(x, norm='ortho'),
    'dct3rd ortho': scipy.fft.dct(x, type=3, norm='ortho'),
    'dct4 ortho': scipy.fft.dct(x, type=4, norm='ortho'),
    'dct2': scipy.fft.dctn(signal(63).reshape(9, 7)),
    'idct3': scipy.fft.idctn(signal(60).reshape(3, 4, 5)),
    'hilbert': pairs(sg.hilbert(x)),
    'hilbert odd': pairs(sg.hilbert(x[:99])),
    'stft': pairs(hann_frames(20, 7)),
    'unwrap': np.unwrap(np.cumsum(x) % (2 * np.pi)),
    'blackmanharris': sg.windows.blackmanharris(33),
    'flattop periodic': sg.windows.flattop(32, sym=False),
    'tukey': sg.windows.tukey(33, 0.3),
    'kaiser': sg.windows.kaiser(32, 7),
    'gaussian periodic': sg.windows.gaussian(32, 5, sym=False),
    'bartlett': sg.windows.bartlett(30),
    'fftconvolve same': sg.fftconvolve(x, signal(12), mode='same'),
    'fftconvolve valid': sg.fftconvolve(x, signal(13), mode='valid'),
    'butter': iir(sg.butter, 4, 0.2),
    'butter high': iir(sg.butter, 5, 1000, 'high', fs=rate),
    'butter band': iir(sg.butter, 3, [0.2, 0.4], 'band'),
    'cheby1': iir(sg.cheby1, 4, 0.5, 0.3),
    'cheby1 stop': iir(sg.cheby1, 3, 1, [0.2, 0.4], 'stop'),
    'cheby2': iir(sg.cheby2, 5, 40, 0.3),
    'cheby2 band': iir(sg.cheby2, 4, 40, [0.2, 0.4], 'band'),
    'firwin': sg.firwin(31, 0.3),
    'firwin stop': sg.firwin(31, [0.3, 0.5], pass_zero='bandstop'),
    'firwin band': sg.firwin(30, [1000, 2000], pass_zero='bandpass', fs=rate, window=('kaiser', 5)),
    'firwin high': sg.firwin(31, 0.3, pass_zero='highpass'),
    'lfilter': sg.lfilter(*sg.butter(3, 0.2), x),
    'filtfilt': sg.filtfilt(*sg.butter(3, 0.2), x),
    'sosfilt': sg.sosfilt(sg.butter(7, [0.2, 0.4], 'band', output='sos'), x),
    'sosfilt cheby2': sg.sosfilt(sg.cheby2(6, 40, 0.3, 'high', output='sos'), x),
    'freqz': pairs(sg.freqz(*sg.butter(3, 0.2), 64)[1]),
    'resample up': sg.resample(x, 150),
    'resample down': sg.resample(x, 64),
    'resample odd': sg.resample(x[:99], 60),
    'resample_poly up': sg.resample_poly(x, 3, 2),
    'resample_poly down': sg.resample_poly(x, 2, 5),
    'resample_poly rates': sg.resample_poly(long, 160, 147),
    'welch': sg.welch(long, rate, nperseg=200)[1],
    'welch plain': sg.welch(long, 1, nperseg=129, noverlap=31, window='hamming', detrend=False)[1],
    'chirp': sg.chirp(np.arange(100) / 50, 1, 2, 20),
    'chirp quadratic': sg.chirp(np.arange(100) / 50, 1, 2, 20, method='quadratic'),
    'chirp logarithmic': sg.chirp(np.arange(100) / 50, 1, 2, 20, method='logarithmic'),
    'fftfreq': np.fft.fftfreq(9, 0.1),
    'melFilters': librosa.filters.mel(sr=rate, n_fft=512, n_mels=40, dtype=np.float64),
    'melFilters htk': librosa.filters.mel(sr=rate, n_fft=512, n_mels=40, fmin=50, fmax=3000, htk=True, norm=None, dtype=np.float64),
    'melSpectrogram': mel(n_mels=40),
    'melSpectrogram reflect': mel(n_mels=40, pad_mode='reflect', power=1),
    'powerToDb': librosa.power_to_db(mel(n_mels=40), ref=np.max),
    'mfcc': librosa.feature.mfcc(y=long, sr=rate, n_mfcc=13, n_fft=512, hop_length=128, n_mels=40),
    'cqt': np.abs(librosa.vqt(long, sr=rate, hop_length=128, fmin=500, n_bins=24, bins_per_octave=12, gamma=0, sparsity=0,
                              dtype=np.complex128, tuning=0)),
}

print('-- Made by figures.py, of SciPy %s and librosa %s' % (scipy.__version__, librosa.__version__))
print('return {')
for name, y in figures.items():
    y = np.asarray(y, dtype=np.float64)
    flat = y.ravel()
    weights = np.sin(np.arange(1, flat.size + 1) * 0.37 + 0.5)
    print("  [%r] = { '%s', %.14g, %.14g }," % (name, 'x'.join(map(str, y.shape)), flat @ weights, np.linalg.norm(flat)))
print('}')
