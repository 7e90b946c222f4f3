-- One wrong input for each function of statistics, signals, data frames, files, plots and recurrent layers: its error names the function
-- and the argument, and is none of Lua's own.
local torch = require 'torch'
local signal, data, plot, image, nn = require 'signal', require 'data', require 'plot', require 'image', require 'nn'

local calls = {
  torch = [==[
    torch.quantile(x, 2)
    torch.quantile(x, 0.5, 1, "foo")
    torch.nanquantile(x, -1)
    torch.percentile(x, 101)
    torch.nanstd("a")
    torch.nanvar(x, 3)
    torch.histogram(x, 0)
    torch.histogram(x, torch.Tensor{2,1})
    torch.histogram(x, -1)
    torch.histogram(x, 3, 2, 1)
    torch.trapz(x, torch.ones(3))
    torch.gradient(torch.ones(1))
    torch.polyfit(x, torch.ones(3), 2)
    torch.polyfit(x, x, -1)
    torch.polyfit(x, x, 30)
    torch.polyval(torch.ones(2,2), x)
    torch.roots(torch.ones(2,2))
    torch.roots(torch.Tensor())
    torch.roots(torch.zeros(3))
    torch.isin(x, "a")
    torch.isin("a", x)
    torch.setdiff(x, 3)
    torch.intersect(3, x)
    torch.union({1}, x)
    torch.expm(x)
    torch.expm(torch.ones(2,3))
    torch.cond(x)
    torch.cond(torch.ones(2,2), "a")
    torch.cond(torch.eye(2), 3)
    torch.nullSpace(x)
    torch.pad(x, {1})
    torch.pad(x, {1,2,3,4})
    torch.pad(x, {1,1}, "foo")
    torch.sum(x, {1, 2})
    torch.sum(x, {1, 1})
    torch.sum(x, {})
    torch.sum(x, {"a"})
    torch.csv.load("x", {thousands=3})
    torch.npz.load("/nonexistent")
    torch.interp(1, x, x)
    torch.interp(1, torch.ones(2), torch.ones(3))
    torch.interp(1, torch.range(1, 3), torch.ones(3), "akima")
  ]==],
  signal = [==[
    signal.findPeaks("a")
    signal.findPeaks(torch.ones(2,2))
    signal.findPeaks(x, {heigth=1})
    signal.findPeaks(x, {distance=0})
    signal.findPeaks(x, {height={1,2,3}})
    signal.peakProminences(x, {99})
    signal.peakProminences(x, torch.LongTensor{0})
    signal.peakWidths(x, torch.LongTensor{99})
    signal.peakWidths(x, torch.LongTensor{2}, {height=3})
    signal.savgol(x, 4, 2)
    signal.peakWidths(x, torch.LongTensor{2}, -1)
    signal.savgol(x, 5, 5)
    signal.savgol(x, 5, 2, {mode="foo"})
    signal.savgol(torch.ones(3), 5, 2)
    signal.savgolWeights(0, 1)
    signal.medfilt(x, 2)
    signal.medfilt(x, -1)
    signal.detrend(x, "foo")
    signal.detrend(x, {breakpoints={99}})
    signal.convolve(x, "a")
    signal.convolve(x, torch.ones(2,2))
    signal.convolve(x, torch.ones(2), "foo")
    signal.correlate(x, torch.Tensor())
    signal.correlationLags(0, 3)
    signal.correlationLags(3, "a")
    signal.decimate(x, 0)
    signal.decimate(x, 1.5)
    signal.decimate(x, 2, {kind="foo"})
    signal.sosfiltfilt(torch.ones(2,3), x)
    signal.square("a")
    signal.square(x, 2)
    signal.sawtooth(x, -1)
    signal.savgol(x, 0, 0)
  ]==],
  data = [==[
    frame:head(-1)
    frame:head("a")
    frame:tail(1.5)
    frame:dropMissing("zz")
    frame:sort("zz")
    frame:sort("a", {foo=1})
    frame:group("zz")
    frame:group("a"):aggregate("foo")
    frame:group("a"):get(99)
    frame:valueCounts("zz")
    frame:take({99})
    frame:take({0})
    frame:where(3)
    frame:select("zz")
    frame:column("zz")
    data.Frame(3)
    data.Frame{a=torch.ones(2), b=torch.ones(3)}
    frame:get(9)
    frame:matrix("zz")
    data.csv.load("/nonexistent.csv")
    data.csv.load("x", {foo=1})
    data.wav.load("/nonexistent.wav")
  ]==],
  image = [==[
    image.load("/nonexistent.gif")
    image.frames("/nonexistent.gif")
    image.open("/nonexistent.tif")
    image.loadWEBP("/nonexistent.webp")
  ]==],
  plot = [==[
    plot.boxplot("a")
    plot.violin("a")
    plot.semilogx("a")
    plot.loglog(x, torch.ones(3))
    plot.step(x, torch.ones(3))
    plot.step(x, x, {where="foo"})
    plot.stem("a")
    plot.pie(torch.Tensor{-1,2})
    plot.pie("a")
    plot.quiver(x, x, x)
    plot.quiver(x,x,x,torch.ones(3))
    plot.contourf(x)
    plot.pcolormesh(x)
    plot.hist2d(x, torch.ones(3))
    plot.annotate(3)
    plot.annotate("a", "b")
    plot.boxplot(x, {foo=1})
  ]==],
  nn = [==[
    nn.LSTM(2,3):forward{torch.randn(4,2,2), lengths={9,1}}
    nn.LSTM(2,3):forward{torch.randn(4,2,2), lengths={1}}
    nn.LSTM(2,3):forward{torch.randn(4,2,2), lengths={1.5,2}}
    nn.GRU(2,3):forward{torch.randn(4,2,2), mask=torch.ones(2,2)}
    nn.RNN(2,3):forward{torch.randn(4,2,2), lengths="a"}
  ]==],
}

torch.manualSeed(1)
local x = torch.randn(20)
local frame = data.Frame { a = torch.Tensor { 1, 2, 3 }, b = torch.Tensor { 3, 4, 5 } }

for package_, list in pairs(calls) do
  describe('A wrong input of ' .. package_, function()
    for code in list:gmatch '[^\n]+' do
      code = code:match '^%s*(.-)%s*$'
      if code ~= '' then
        it('is named: ' .. code, function()
          local f = assert(loadstring('local torch, signal, data, plot, image, nn, x, frame = ... return ' .. code))
          local done, message = pcall(f, torch, signal, data, plot, image, nn, x, frame)
          assert.is_false(done)
          message = message:gsub('^%S+:%d+: ', '')
          assert.matches('^[%w_.:]+: [^:]+: ', message)
          assert.is_nil(message:find('attempt to', 1, true))
          local name = code:match '([%w_]+)%([^()]*%)$' or code:match '([%w_]+)%(' or code:match '^nn%.(%w+)'
          if package_ == 'nn' then name = code:match '^nn%.(%w+)' end
          assert.is_not_nil(message:find(name, 1, true) or message:find('csv', 1, true) or package_ == 'data', message)
        end)
      end
    end
  end)
end
