-- Axes of dates: ticks at starts of years to seconds, chosen by the range; frames with columns of dates, groups and several columns.
local torch = require 'torch'
local data = require 'data'
local plot = require 'plot'
local dateTicks = require 'plot.date_ticks'

local dates = data.dates

local function labels(low, high, count)
  local list, texts, note = dateTicks(dates.read(low), dates.read(high), count or 8)
  assert.equal(#list, #texts)
  return table.concat(texts, ' ') .. (note and ' (' .. note .. ')' or ''), list
end

local function drawn(draw)
  local figure = plot.figure()
  draw(figure:subplot())
  return figure:svg()
end

describe('ticks of dates', function()
  it('are the starts of units that fit the range', function()
    local cases = {
      { '1200-01-01', '3000-01-01', '1500 2000 2500 3000' }, { '2020-01-01', '2024-06-01', '2020 2021 2022 2023 2024' },
      { '2023-11-05', '2024-04-20', 'Dec 2024 Feb Mar Apr' }, { '2024-02-03', '2024-07-20', 'Mar Apr May Jun Jul (2024)' },
      { '2023-02-03', '2024-10-20', 'Apr Jul Oct 2024 Apr Jul Oct' },
      { '2024-01-01', '2024-02-10', 'Jan 1 Jan 8 Jan 15 Jan 22 Jan 29 Feb 5 (2024)' },
      { '2023-12-25', '2024-01-07', 'Dec 25 Dec 27 Dec 29 Dec 31 Jan 2 Jan 4 Jan 6 (2023\226\128\1472024)' },
      { '2024-03-01T05:00', '2024-03-01T19:00', '06:00 08:00 10:00 12:00 14:00 16:00 18:00 (2024-03-01)' },
      { '2024-02-29T15:00', '2024-03-01T09:00', '15:00 18:00 21:00 Mar 1 03:00 06:00 09:00 (2024)' },
      { '2024-03-01T05:58', '2024-03-01T06:05', '05:58 05:59 06:00 06:01 06:02 06:03 06:04 06:05 (2024-03-01)' },
      { '2024-03-01T05:00:02', '2024-03-01T05:00:47', '05:00:10 05:00:20 05:00:30 05:00:40 (2024-03-01)' },
      { '2024-03-01T05:00:02', '2024-03-01T05:00:03', '05:00:02.0 05:00:02.2 05:00:02.4 05:00:02.6 05:00:02.8 05:00:03.0 (2024-03-01)' },
    }
    for _, case in ipairs(cases) do assert.equal(case[3], (labels(case[1], case[2]))) end
    assert.equal('2022 2023 2024', (labels('2021-05-01', '2024-06-01', 3)))
    local _, mondays = labels('2024-01-01', '2024-02-10')
    for _, at in ipairs(mondays) do assert.equal(1, dates.weekday(at)) end
    local list, texts = dateTicks(-1e14, 1e14, 5)      -- beyond the calendar
    assert.equal(#list, #texts)
  end)

  it('are on axes of frames, and of texts on the scale', function()
    local frame = data.Frame({ day = { '2024-01-01', '2024-02-01', '2024-04-01' }, n = { 1, 3, 2 } }, { 'day', 'n' }):cast { day = 'date' }
    local picture = drawn(function(axes) axes:plot(frame, 'day', 'n') end)
    for _, label in ipairs { 'Jan 8', 'Feb 5', 'Mar 18', 'Apr 1', '2024', 'day', 'n' } do
      assert.is_truthy(picture:find('>' .. label .. '</text>', 1, true), label)
    end
    assert.equal(picture, drawn(function(axes)
      axes:xscale 'date':plot({ '2024-01-01', '2024-02-01', '2024-04-01' }, frame.n):xlabel 'day':ylabel 'n'
    end))
    local part = drawn(function(axes) axes:plot(frame, 'day', 'n'):xlim('2024-02-05', '2024-03-20') end)
    assert.is_truthy(part:find('>Feb 12</text>', 1, true))
    assert.is_truthy(drawn(function(axes) axes:scatter(frame:head(1), 'day', 'n') end):find('>Jan 1</text>', 1, true))
    assert.is_truthy(drawn(function(axes) axes:barh(frame, 'day', 'n') end):find('>Apr 15</text>', 1, true))
    local wide = drawn(function(axes) axes:bar(frame, 'day', 'n', { width = 0.8 * 31 * 86400 }) end)
    assert.equal(wide, drawn(function(axes) axes:bar(frame, 'day', 'n') end))      -- 31 days are the least distance
    local at = dates.read '2024-02-01'
    assert.equal(drawn(function(axes)
      axes:plot(frame, 'day', 'n'):axvline(at):text(at, 2, 'here'):annotate('there', { at, 1 }, { xytext = { at + 86400, 2 } })
    end), drawn(function(axes)
      axes:plot(frame, 'day', 'n'):axvline '2024-02-01':text('2024-02-01', 2, 'here')
      axes:annotate('there', { '2024-02-01', 1 }, { xytext = { '2024-02-02', 2 } })
    end))
    local axes = plot.figure():subplot():xscale 'date'
    assert.error_matches(function() axes:axvline 'soon' end, 'axvline: x: "soon", expected a date')
    assert.error_matches(function() axes:xlim 'soon' end, 'xlim: low: "soon", expected a date such as 2024%-05%-31')
    assert.error_matches(function() axes:plot({ 'soon' }, { 1 }) end, 'plot: x%[1%]: "soon", expected a date')
    assert.error_matches(function() axes:xscale 'none' end, "xscale: none, expected 'linear', 'log' or 'date'")
  end)
end)

describe('axes of frames', function()
  local columns = { x = { 1, 2, 3, 4 }, y = { 4, 0 / 0, 2, 1 }, z = torch.LongTensor { 1, 2, 3, 5 }, kind = { 'a', 'b', 'a', 'b' } }
  local frame = data.Frame(columns, { 'x', 'y', 'z', 'kind' })
  frame = frame:setMissing('z', { false, true, false, false })
  local nan = 0 / 0

  it('have gaps for missing values', function()
    assert.equal(drawn(function(axes) axes:plot({ 1, 2, 3, 4 }, { 1, nan, 3, 5 }):xlabel 'x':ylabel 'z' end),
      drawn(function(axes) axes:plot(frame, 'x', 'z') end))
  end)

  it('draw several columns, and groups', function()
    assert.equal(drawn(function(axes)
      axes:plot({ 1, 2, 3, 4 }, { 4, nan, 2, 1 }, '--', { label = 'y' })
      axes:plot({ 1, 2, 3, 4 }, { 1, nan, 3, 5 }, '--', { label = 'z' }):legend():xlabel 'x'
    end), drawn(function(axes) axes:plot(frame, 'x', { 'y', 'z' }, '--'):legend() end))
    assert.equal(drawn(function(axes)
      axes:scatter({ 1, 3 }, { 1, 3 }, { label = 'a', s = 9 }):scatter({ 2, 4 }, { nan, 5 }, { label = 'b', s = 9 }):xlabel 'x':ylabel 'z'
    end), drawn(function(axes) axes:scatter(frame, 'x', 'z', { by = 'kind', s = 9 }) end))
    assert.equal(drawn(function(axes) axes:scatter({ 1, 2, 3, 4 }, { 1, 2, 3, 4 }, { c = { 1, 2, 3, 4 } }):xlabel 'x':ylabel 'x' end),
      drawn(function(axes) axes:scatter(frame, 'x', 'x', { c = 'x' }) end))
    assert.equal(drawn(function(axes)
      axes:hist({ 1, 3 }, { label = 'a', bins = 3, range = { 1, 5 } })
      axes:hist({ 5 }, { label = 'b', bins = 3, range = { 1, 5 } })
      axes:xlabel 'z'
    end), drawn(function(axes) axes:hist(frame, 'z', { by = 'kind', bins = 3 }) end))
    for _, name in ipairs { 'boxplot', 'violin' } do
      assert.equal(drawn(function(axes)
        axes[name](axes, { { 1, 3 }, { 5 } }, { labels = { 'a', 'b' } })
        axes:xlabel 'kind':ylabel 'z'
      end), drawn(function(axes) axes[name](axes, frame, 'z', { by = 'kind' }) end))
      assert.equal(drawn(function(axes) axes[name](axes, { { 4, 2, 1 }, { 1, 3, 5 } }, { labels = { 'y', 'z' } }) end),
        drawn(function(axes) axes[name](axes, frame, { 'y', 'z' }) end))
    end
    assert.equal(drawn(function(axes) axes:pie({ 1, 2, 3, 4 }, { labels = { 'a', 'b', 'a', 'b' } }) end),
      drawn(function(axes) axes:pie(frame, 'x', 'kind') end))
  end)

  it('name the nearest column', function()
    local axes = plot.figure():subplot()
    assert.error_matches(function() axes:plot(frame, 'x', 'kin') end, 'kin, expected one of x, y, z, kind; the nearest name is kind')
    assert.error_matches(function() axes:plot(frame, 'x', { 'y', 'knid' }) end, 'the nearest name is kind')
    assert.error_matches(function() axes:scatter(frame, 'x', 'y', { by = 'kond' }) end, 'the nearest name is kind')
    assert.error_matches(function() axes:boxplot(frame, 3) end, 'boxplot: 3, expected names of columns')
  end)
end)
