-- For names from NumPy, SciPy, MATLAB, PyTorch, pandas and matplotlib for statistics, signals, tables, pictures and plots, there is a
-- function or a hint, and hints name only existing functions.
local torch, nn = require 'torch', require 'nn'
local hints, names = require 'trepl.hints', require 'trepl.names'
local data, plot = require 'data', require 'plot'
data.csv = data.csv      -- brings data frames

local written = {
  numpy = [[
    quantile percentile nanquantile nanpercentile nanstd nanvar nanmean nansum nanmax nanmin nanmedian nanprod histogram histogram2d
    histogram_bin_edges trapz trapezoid gradient interp polyfit polyval polyder polyint poly1d roots isin in1d intersect1d union1d setdiff1d
    setxor1d unique pad cond matrix_rank convolve correlate unwrap savez savez_compressed loadtxt genfromtxt savetxt fromfile tofile
    recfromcsv ediff1d diff amax amin argsort median average cov corrcoef digitize bincount cumsum cumprod clip sinc nancumsum histogramdd
    interp1d ptp hanning hamming blackman bartlett kaiser
  ]],
  scipy = [[
    interp1d interp2d griddata CubicSpline PchipInterpolator Akima1DInterpolator UnivariateSpline splrep splev make_interp_spline
    RegularGridInterpolator BarycentricInterpolator
    simpson simps cumulative_trapezoid cumtrapz quad find_peaks argrelextrema argrelmax argrelmin peak_prominences peak_widths
    find_peaks_cwt
    savgol_filter savgol_coeffs medfilt medfilt2d wiener detrend correlate correlate2d correlation_lags convolve convolve2d fftconvolve
    oaconvolve decimate resample resample_poly upfirdn square sawtooth chirp gausspulse butter cheby1 cheby2 ellip bessel iirfilter iirnotch
    firwin firwin2 lfilter filtfilt sosfilt sosfiltfilt lfilter_zi hilbert welch periodogram spectrogram stft istft csd coherence freqz
    sosfreqz get_window hann tukey flattop blackmanharris cwt ricker loadmat savemat wavfile median_filter gaussian_filter uniform_filter
    gaussian_filter1d zoom iqr zscore kurtosis skew expm logm sqrtm null_space orth load_npz save_npz rankdata
  ]],
  matlab = [[
    prctile quantile iqr interp1 interp2 spline pchip makima polyfit polyval polyder polyint roots ismember setdiff intersect union setxor
    trapz cumtrapz gradient expm null cond padarray findpeaks sgolayfilt sgolay medfilt1 medfilt2 detrend xcorr xcov conv conv2 deconv
    decimate upsample downsample square sawtooth chirp butter filter filtfilt freqz pwelch periodogram spectrogram smoothdata movmean
    movmedian envelope imread imwrite imfinfo imshow imagesc imresize imrotate imcrop rgb2gray imfilter imgaussfilt audioread audiowrite
    audioinfo wavread wavwrite csvread csvwrite readtable writetable readmatrix writematrix readcell dlmread dlmwrite xlsread h5read h5write
    h5info h5disp sortrows groupsummary findgroups splitapply rmmissing fillmissing ismissing varfun boxplot boxchart violinplot semilogx
    semilogy loglog stairs stem pie quiver contourf pcolor surf mesh hist3 histogram2 histogram yyaxis annotation categorical errorbar
    polarplot plot3 scatter3 saveas exportgraphics subplot tiledlayout nexttile sgtitle colorbar histcounts nanmean normalize table2array
    array2table
  ]],
  pytorch = [[
    quantile nanquantile trapezoid trapz cumulative_trapezoid gradient isin matrix_exp cond pad histc histogram histogramdd
    pack_padded_sequence pad_packed_sequence pad_sequence pack_sequence PackedSequence named_parameters named_modules named_buffers
    state_dict load_state_dict std_mean var_mean aminmax amax amin nansum nanmean nanmedian AvgPool3d MaxPool3d AvgPool1d LPPool1d
    AdaptiveAvgPool3d AdaptiveAvgPool1d LSTM GRU RNN Embedding Linear logsumexp any all prod norm polygamma unique_consecutive cummax
    count_nonzero resample Resample Spectrogram MelSpectrogram read_image write_png decode_jpeg save_image make_grid StepLR
    CosineAnnealingLR OneCycleLR ReduceLROnPlateau ConstantLR PolynomialLR ChainedScheduler l1_unstructured global_unstructured is_pruned
    register_parametrization is_parametrized spectral_norm skip_init parameters_to_vector clip_grads_with_norm_ calculate_gain ctc_loss
    gumbel_softmax unpack_sequence RAdam Transformer CELU Unflatten
  ]],
  pandas = [[
    read_csv read_table read_excel read_json read_hdf read_parquet read_pickle read_fwf to_csv to_json to_excel to_numpy to_dict DataFrame
    Series loc iloc iat head tail describe dropna fillna isna isnull notna notnull drop_duplicates duplicated sort_values sort_index groupby
    agg aggregate applymap merge concat pivot pivot_table melt value_counts nunique set_index reset_index nlargest nsmallest rolling
    ewm astype corr iterrows itertuples dtypes get_dummies qcut to_datetime crosstab select_dtypes
  ]],
  matplotlib = [[
    boxplot violinplot semilogx semilogy loglog step stem pie quiver contour contourf pcolormesh pcolor hist2d hist hexbin twinx twiny
    annotate savefig show subplots subplot legend xlabel ylabel suptitle colorbar axis xlim ylim xticks yticks set_title set_xlabel
    set_ylabel set_xlim set_ylim set_xscale set_yscale set_xticks set_yticks set_xticklabels barh errorbar fill_between fill_betweenx imshow
    matshow axhline axvline hlines vlines scatter polar streamplot tripcolor tight_layout gca gcf clf cla stackplot eventplot stairs
    plot_surface tick_params add_subplot gridspec GridSpec spy barbs axhspan axvspan invert_yaxis set_aspect
  ]],
  others = [[
    imread mimread imwrite imsave mimwrite imopen cvtColor resize GaussianBlur medianBlur Canny fromarray get_data wavfile soundfile
    librosa melspectrogram h5py File create_dataset Workbook csv_reader
  ]],
}

local Frame, Axes, Groups = torch.getmetatable 'data.Frame', torch.getmetatable 'plot.Axes', torch.getmetatable 'data.Groups'
local packages = { signal = require 'signal', plot = plot, image = require 'image', data = data, audio = require 'audio' }
packages.optim = require 'optim'

-- The names that a pattern finds in a hint must be fields of these tables.
local owners = {
  ['%f[%w]torch%.([%a_][%w_]*)'] = torch, ['%f[%w]x:([%a_][%w_]*)'] = torch.Tensor, ['%f[%w]nn%.(%u%w+)'] = nn,
  ['nn%.functional%.(%w+)'] = nn.functional, ['nn%.init%.(%w+)'] = nn.init,
  ['nn%.utils%.rnn%.(%w+)'] = nn.utils.rnn, ['nn%.utils%.prune%.(%w+)'] = nn.utils.prune, ['nn%.utils%.(%w+)'] = nn.utils,
  ['nn%.utils%.parametrize%.(%w+)'] = nn.utils.parametrize, ['%f[%w]ax:([%a_][%w_]*)'] = Axes,
  ['%f[%w]frame:([%a_][%w_]*)'] = Frame,
  ['groups:([%a_][%w_]*)'] = Groups, ['frame:group%b():([%a_][%w_]*)'] = Groups, ['torch%.npz%.([%a_][%w_]*)'] = torch.npz,
  ['torch%.csv%.([%a_][%w_]*)'] = torch.csv,
  ['torch%.npy%.([%a_][%w_]*)'] = torch.npy, ['%f[%w]data%.csv%.([%a_][%w_]*)'] = data.csv, ['data%.wav%.([%a_][%w_]*)'] = data.wav,
  ['data%.jsonl%.([%a_][%w_]*)'] = data.jsonl, ['hdf5%.([%a_][%w_]*)'] = require 'hdf5', ['net:([%a_][%w_]*)'] = nn.Sequential,
}
for name, package_ in pairs(packages) do owners[("%%f[%%w]%s%%.([%%a_][%%w_]*)"):format(name)] = package_ end

-- The names of ours that a text has, those that are nothing apart.
local function ourNames(text)
  local found, missing = {}, {}
  for pattern, owner in pairs(owners) do
    for word in text:gmatch(pattern) do
      local list = owner[word] ~= nil and found or missing
      list[#list + 1] = word
    end
  end
  return found, missing
end

-- Whether a package, a tensor, axes or a data frame has a function of this name.
local function isFunction(name)
  if torch[name] ~= nil or torch.Tensor[name] ~= nil or nn[name] ~= nil or Frame[name] ~= nil or Axes[name] ~= nil then return true end
  for _, package_ in pairs(packages) do
    if package_[name] ~= nil then return true end
  end
  return Groups[name] ~= nil
end

describe('A name of', function()
  for library, list in pairs(written) do
    it(library .. ' is a function, or a hint names one', function()
      for name in list:gmatch '%S+' do
        local hint = hints.of(("attempt to call field '%s' (a nil value)"):format(name))
        if not isFunction(name) then
          assert.is_not_nil(hint, name)
          local found, missing = ourNames(hint)
          assert.is_true(#found > 0, ('%s: %s'):format(name, hint))
          assert.same({}, missing)
        end
      end
    end)
  end
end)

it('No hint names what is not there', function()
  for _, texts in ipairs { names.ours, names.absent, names.nowhere } do
    for name, here in pairs(texts) do
      local _, missing = ourNames(here)
      assert.same({}, missing, ('%s: %s'):format(name, here))
    end
  end
end)

it('What a name here looks like elsewhere is no hint of its own', function()
  for name, why in pairs(names.absent) do assert.is_nil(names.ours[name], name .. ': ' .. why) end
end)

it('A reason for a missing name is given for no name that there is', function()
  local tables = { nn, nn.functional, nn.init, nn.utils, nn.utils.rnn, nn.utils.prune, nn.utils.parametrize, packages.optim }
  for name, why in pairs(names.nowhere) do
    local here = name:gsub('_$', ''):gsub('_(%w)', string.upper)
    for _, fields in ipairs(tables) do
      assert.is_nil(fields[name], name .. ': ' .. why)
      assert.is_nil(fields[here], name .. ': ' .. why)
    end
  end
end)

it('A common word is not taken for a function of nn.utils', function()
  for _, name in ipairs { 'remove', 'cached' } do
    assert.is_nil((hints.of(("attempt to call field '%s' (a nil value)"):format(name)) or ''):match 'nn%.utils')
  end
end)
