--- Names from SciPy, MATLAB, pandas, matplotlib and others for functions of Moontorch's packages, for hints: adds to trepl.names.
-- @module trepl.package_names

-- Functions by package -> their names in other libraries.
local functions = {
  signal = {
    findPeaks = 'find_peaks findpeaks argrelmax argrelextrema find_peaks_cwt islocalmax', peakProminences = 'peak_prominences',
    peakWidths = 'peak_widths', savgol = 'savgol_filter sgolayfilt smoothdata', savgolWeights = 'savgol_coeffs sgolay',
    medfilt = 'medfilt medfilt1 medfilt2 medfilt2d median_filter movmedian', correlate = 'correlate xcorr',
    correlationLags = 'correlation_lags',
    detrend = 'detrend', decimate = 'decimate downsample', sawtooth = 'sawtooth', convolve = 'convolve', filtfilt = 'filtfilt',
    lfilter = 'lfilter', sosfilt = 'sosfilt', sosfiltfilt = 'sosfiltfilt', butter = 'butter iirfilter', firwin = 'firwin fir1',
    welch = 'welch pwelch', resample_poly = 'upfirdn', hann = 'hanning get_window',
    fftconvolve = 'oaconvolve', freqz = 'sosfreqz', melSpectrogram = 'melspectrogram MelSpectrogram', spectrogram = 'Spectrogram',
    hilbert = 'envelope',
  },
  plot = {
    violin = 'violinplot', boxplot = 'boxplot boxchart', hist2d = 'hist2d histogram2 hist3 histogram2d hexbin',
    pcolormesh = 'pcolormesh pcolor tripcolor',
    imshow = 'imshow imagesc matshow spy heatmap', fillBetween = 'fill_between fill_betweenx stackplot', step = 'stairs',
    quiver = 'quiver barbs',
    errorbar = 'errorbar', semilogx = 'semilogx', semilogy = 'semilogy', loglog = 'loglog', contourf = 'contourf', twinx = 'twinx',
    twiny = 'twiny',
  },
  image = {
    rotate = 'imrotate', crop = 'imcrop', rgb2y = 'rgb2gray', convolve = 'imfilter', getSize = 'imsize', toDisplayTensor = 'make_grid',
  },
}

-- Other names -> expressions in Moontorch.
local ours = {
  -- plots
  savefig = "plot.save(name), whose ending says '.svg' or '.png'", saveas = "plot.save(name), whose ending says '.svg' or '.png'",
  exportgraphics = 'plot.save(name)', show = 'plot.save(name); a notebook shows a figure by itself', drawnow = 'plot.save(name)',
  subplots = 'ax = plot.subplot(rows, columns, i), part by part', tiledlayout = 'plot.subplot(rows, columns, i)',
  nexttile = 'plot.subplot(rows, columns, i)', add_subplot = 'plot.subplot(rows, columns, i)', add_axes = 'plot.subplot(rows, columns, i)',
  gridspec = 'plot.subplot(rows, columns, i)', GridSpec = 'plot.subplot(rows, columns, i)',
  colorbar = 'plot.imshow(x, { colorbar = true })', suptitle = 'a title for each part: ax:title(text)',
  sgtitle = 'a title for each part: ax:title(text)', axis = 'plot.xlim(low, high) and plot.ylim(low, high)',
  set_title = 'ax:title(text)', set_xlabel = 'ax:xlabel(text)', set_ylabel = 'ax:ylabel(text)', set_xlim = 'ax:xlim(low, high)',
  set_ylim = 'ax:ylim(low, high)', set_xscale = "ax:xscale 'log'", set_yscale = "ax:yscale 'log'",
  set_xticks = 'ax:xticks(places, labels)', set_yticks = 'ax:yticks(places, labels)', tick_params = 'ax:xticks(places, labels)',
  set_xticklabels = 'ax:xticks(places, labels)', set_yticklabels = 'ax:yticks(places, labels)',
  tight_layout = 'nothing: parts of plot.subplot never overlap', surf = 'plot.pcolormesh, in colours,',
  mesh = 'plot.pcolormesh, in colours,', plot_surface = 'plot.pcolormesh, in colours,', yyaxis = 'ax:twinx()', clf = 'plot.close()',
  cla = 'plot.close()', hold = 'not needed: axes keep earlier curves', annotation = 'plot.annotate(text, x, y)',
  hlines = 'plot.axhline(y)', vlines = 'plot.axvline(x)', axhspan = 'plot.axhline(y), a line', axvspan = 'plot.axvline(x), a line',
  eventplot = 'plot.stem(x, y)', categorical = 'names as places: plot.bar({"a", "b"}, x)', invert_yaxis = 'plot.ylim(high, low)',
  set_aspect = 'plot.xlim(low, high) and plot.ylim(low, high)', polarplot = 'plot.plot(x, y) of r cos and r sin',
  streamplot = 'plot.quiver(x, y, u, v), arrows', plot3 = 'plot.plot(x, y), seen from above,',
  scatter3 = 'plot.scatter(x, y), seen from above,', hist = 'plot.hist(x), or torch.histogram(x) for the counts',
  -- data frames
  groupsummary = 'frame:groupBy(by):aggregate(what)', findgroups = 'frame:groupBy(by)', splitapply = 'groups:aggregate(what)',
  varfun = 'frame:groupBy(by):aggregate(what)', agg = 'groups:aggregate(what)', sortrows = 'frame:sort(by)',
  sort_index = 'frame:sort(by)', nlargest = 'frame:nlargest(n, by)', nsmallest = 'frame:nsmallest(n, by)',
  isnull = 'frame:isMissing(name)', isna = 'frame:isMissing(name)', ismissing = 'frame:isMissing(name)',
  notna = 'frame:isMissing(name):eq(0)', notnull = 'frame:isMissing(name):eq(0)', fillna = 'frame:fillMissing(value)',
  fillmissing = 'frame:fillMissing(value)', ffill = "frame:fillMissing(nil, { method = 'forward' })", rmmissing = 'frame:dropMissing()',
  loc = 'frame:filter(f or mask):select(names)', merge = 'frame:join(other, names)', outerjoin = 'frame:join(other, options)',
  innerjoin = 'frame:join(other, names)', unstack = 'frame:pivot(options)', iat = 'frame:get(i)[name]',
  iterrows = 'frame:get(i), i from 1 to frame:size()', itertuples = 'frame:get(i), i from 1 to frame:size()',
  to_dict = 'frame.columns, or frame:rows()', table2array = 'frame:matrix()', array2table = 'data.Frame(columns)',
  Series = 'a column: frame:column(name), frame[name]', nunique = 'frame:nunique(name)', duplicated = 'frame:duplicated(names)',
  drop_duplicates = 'frame:dropDuplicates(names)', pivot_table = 'frame:pivotTable(options)', crosstab = 'frame:crosstab(index, name)',
  get_dummies = 'nn.OneHot(classes):forward(x)', qcut = 'frame:qcut(name, classes)', rolling = 'frame:rolling(n)',
  movmean = 'frame:rolling(n):mean()', dtypes = 'frame.types, as frame:describe() shows', select_dtypes = 'frame:select(names)',
  applymap = 'x:apply(f), column by column', ewm = 'a loop over x[i], or signal.lfilter', merge_asof = 'frame:joinAsof(other, options)',
  pct_change = 'frame:pctChange()', date_range = 'data.dates.range(first, last, step)', query = 'frame:filter(expression)',
  bfill = "frame:fillMissing(nil, { method = 'backward' })",
  -- files
  csvread = 'torch.csv.load(name)', dlmread = 'torch.csv.load(name)', readcell = 'data.csv.load(name)',
  recfromcsv = 'data.csv.load(name)', read_fwf = 'data.csv.load(name)', csvwrite = 'torch.csv.save(name, x)',
  dlmwrite = 'torch.csv.save(name, x)', writetable = 'data.csv.save(name, frame)',
  csv_reader = 'data.csv.load(name)', read_table = "data.csv.load(name, { separator = '\\t' }), with data = require 'data',",
  to_json = 'data.jsonl.save(name, frame)', h5info = 'hdf5.open(name), which shows what it holds,',
  h5disp = 'hdf5.open(name), which shows what it holds,', create_dataset = 'hdf5.open(name):write(path, x)',
  save_npz = 'torch.npz.save(name, tensors)', load_npz = 'torch.npz.load(name), member by member,',
  fromfile = 'torch.FloatStorage(name), or torch.npy.load(name)', tofile = 'torch.npy.save(name, x)',
  -- pictures and sounds
  imresize = "image.scale(x, width, height), with image = require 'image',",
  GaussianBlur = "image.convolve(x, image.gaussian(n)), with image = require 'image',",
  imgaussfilt = "image.convolve(x, image.gaussian(n)), with image = require 'image',",
  gaussian_filter = "image.convolve(x, image.gaussian(n)), with image = require 'image',",
  gaussian_filter1d = "signal.convolve(x, signal.hann(n)), with signal = require 'signal',",
  uniform_filter = "image.convolve(x, torch.ones(n, n) / n ^ 2), with image = require 'image',",
  zoom = "image.scale(x, width, height), with image = require 'image',", medianBlur = 'signal.medfilt(x, n)',
  cvtColor = 'image.rgb2hsv(x), image.rgb2y(x), ...',
  read_image = 'image.load(name)', decode_jpeg = 'image.decompressJPG(bytes)', write_png = 'image.save(name, picture)',
  save_image = 'image.save(name, picture)', imopen = 'image.open(name)', fromarray = 'the tensor itself: image.save(name, x)',
  mimwrite = 'image.save(name, picture), one by one', audioinfo = 'audio.load(name), sound and rate', wavfile = 'data.wav.load(name)',
  soundfile = 'audio.load(name)',
  -- functions of tensors and signals
  argrelmin = 'signal.findPeaks(-x)',  nancumsum = 'torch.cumsum(x:maskedFill(torch.isnan(x), 0), dim)',
  nanprod = 'torch.prod(x:maskedFill(torch.isnan(x), 1))',
  histogram_bin_edges = 'the second result of torch.histogram(x)', histcounts = 'torch.histogram(x)',
  setxor1d = 'torch.setdiff(torch.union(a, b), torch.intersect(a, b))', setxor = 'torch.setdiff(torch.union(a, b), torch.intersect(a, b))',
  ediff1d = 'torch.diff(x)', poly1d = 'torch.polyval(coefficients, x)', prctile = 'torch.percentile',
  iqr = 'torch.quantile(x, torch.Tensor '
    .. '{0.25, 0.75}):diff()', zscore = '(x - x:mean()) / x:std()', padarray = 'torch.pad',
    rankdata = 'torch.argsort(torch.argsort(x)) + 1',
  cumtrapz = 'torch.cumulativeTrapezoid', quad = 'torch.trapz(f(x), x)',
  polyder = 'torch.cmul(coefficients, powers), without the last', polyint = 'torch.cdiv(coefficients, powers), and a constant',
  simpson = 'torch.trapz(y, x)', simps = 'torch.trapz(y, x)',
  spline = "torch.interp(x, points, values, 'cubic')", CubicSpline = "torch.interp(x, points, values, 'cubic')",
  make_interp_spline = "torch.interp(x, points, values, 'cubic')", UnivariateSpline = "torch.interp(x, points, values, 'cubic')",
  splev = "torch.interp(x, points, values, 'cubic')", splrep = "torch.interp(x, points, values, 'cubic')",
  pchip = "torch.interp(x, points, values, 'cubic')", PchipInterpolator = "torch.interp(x, points, values, 'cubic')",
  makima = "torch.interp(x, points, values, 'cubic')", Akima1DInterpolator = "torch.interp(x, points, values, 'cubic')",
  BarycentricInterpolator = 'torch.polyfit and torch.polyval', deconv = 'torch.polyval and torch.polyfit',
  -- modules
  named_buffers = 'net:listModules(), whose fields they are', pad_sequence = 'nn.utils.rnn.padSequence',
  pack_padded_sequence = 'nn.utils.rnn.packPaddedSequence', pack_sequence = 'nn.utils.rnn.packSequence',
  pad_packed_sequence = 'nn.utils.rnn.padPackedSequence', unpack_sequence = 'nn.utils.rnn.unpackSequence',
  unpad_sequence = 'nn.utils.rnn.unpadSequence', PackedSequence = 'nn.utils.rnn.PackedSequence',
}

local scattered = 'values at scattered places are not interpolated: torch.interp takes one dimension, image.scale and image.warp pictures'
local filters = 'of filters there are signal.butter, signal.cheby1, signal.cheby2 and signal.firwin'
local spectra = 'of spectra there are signal.welch, signal.spectrogram and signal.stft'
local books = 'save it as CSV, which data.csv.load(name) reads'

-- Names without an equivalent -> the reason, and alternatives.
local absent = {
  set_index = 'rows have numbers: frame:take(rows), frame:filter(f)', reset_index = 'rows have numbers: frame:take(rows), frame:filter(f)',
  to_datetime = "data.csv.load(name) reads times by itself, frame:cast { day = 'date' } converts texts",
  read_excel = books, xlsread = books, to_excel = 'data.csv.save(name, frame) writes CSV', Workbook = books, read_parquet = books,
  read_pickle = books, griddata = scattered, interp2d = scattered, RegularGridInterpolator = scattered,
  interp2 = 'of pictures image.scale and image.warp interpolate, of one dimension torch.interp',
  ellip = filters, bessel = filters, iirnotch = filters, firwin2 = filters, wiener = 'signal.savgol and signal.medfilt smooth',
  lfilter_zi = 'signal.filtfilt and signal.sosfiltfilt begin in a steady state by themselves', periodogram = spectra, csd = spectra,
  coherence = spectra, gausspulse = 'of waves there are signal.chirp, signal.square and signal.sawtooth',
  cwt = 'signal.stft shows frequencies by time', ricker = 'of windows there are signal.gaussian, signal.hann, signal.kaiser, ...',
  correlate2d = "torch.xcorr2(x, y), and torch.conv2 the convolution, take planes", xcov = 'signal.correlate of x - x:mean()',
  convolve2d = 'torch.conv2(x, y) takes planes', conv = "signal.convolve(x, y), after signal = require 'signal'",
  kurtosis = 'there is no kurtosis: ((x - x:mean()) / x:std()):pow(4):mean()',
  skew = 'there is no skew: ((x - x:mean()) / x:std()):pow(3):mean()',
  savemat = 'torch.npz.save(name, tensors) and hdf5.open(name) write what MATLAB and SciPy read',
  loadmat = "hdf5.open(name) reads .mat files of MATLAB 7.3; older ones are saved anew by scipy.io.loadmat and numpy.savez",
  histogramdd = 'torch.histogram takes one dimension, plot.hist2d draws two',
  Canny = 'image.convolve(x, kernel) with a kernel of differences finds edges', get_data = 'audio.load(name) gives sound and rate',
  librosa = "signal.melSpectrogram, signal.mfcc, ... after signal = require 'signal'; audio.load(name) reads files",
}

--- @tparam table names the table of trepl.names; its entries are not replaced
return function(names)
  for name, here in pairs(ours) do names.ours[name] = names.ours[name] or here end
  for name, why in pairs(absent) do names.absent[name] = names.absent[name] or why end
  for package_, list in pairs(functions) do
    for here, others in pairs(list) do
      local text = ("%s.%s, after %s = require '%s'"):format(package_, here, package_, package_)
      for name in others:gmatch '%S+' do
        if not names.ours[name] then names.absent[name] = names.absent[name] or text end
      end
    end
  end
end
