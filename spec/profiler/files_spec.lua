-- Files of profiles: trace events as JSON, and folded stacks, compared with the events.
local torch, data = require 'torch', require 'data'
local files = require 'spec.support.files'

local profiler = torch.profiler

local function written(p, method, ...)
  local path = os.tmpname()
  p[method](p, path, ...)
  local text = files.read(path)
  os.remove(path)
  return text
end

-- The value of a JSON text, by the reader of lines of JSON.
local function decoded(text)
  local path, value = os.tmpname(), nil
  files.write(path, text:gsub('\n', ' ') .. '\n')
  for _, v in data.jsonl.lines(path) do value = v end
  os.remove(path)
  return value
end

local function program()
  local x = torch.randn(300, 1000)                               -- large enough for several threads
  profiler.record('a "name", with; \\ and\ttab, \1 and \127', function()
    torch.exp(x)
    torch.sum(torch.abs(x))
  end)
end

describe('exportChromeTrace', function()
  local p, trace, complete
  setup(function()
    local threads = torch.getnumthreads()
    torch.setnumthreads(2)
    p = profiler.profile(program, { memory = true, shapes = true })
    torch.setnumthreads(threads)
    trace = decoded(written(p, 'exportChromeTrace'))
    complete = {}
    for _, event in ipairs(trace.traceEvents) do
      if event.ph == 'X' then complete[#complete + 1] = event end
    end
  end)

  it('has a complete event for each event, with its times and arguments', function()
    local events = p:events()
    for i, event in ipairs(events) do
      local made = complete[i]
      assert.equal(event.name, made.name)
      assert.near(event.start * 1e6, made.ts, 1e-3)
      assert.near(event.duration * 1e6, made.dur, 1e-3)
      assert.equal(event.kind, made.cat)
      assert.equal(event.line, made.args.line)
      assert.equal(event.shapes, made.args.shapes)
      assert.equal(event.bytes > 0 and event.bytes or nil, made.args.bytes)
    end
    assert.equal('[300, 1000]', complete[4].args.shapes)
  end)

  it('nests the events of a thread', function()
    local byThread = {}
    for _, event in ipairs(complete) do
      byThread[event.tid] = byThread[event.tid] or {}
      table.insert(byThread[event.tid], event)
    end
    local threads = 0
    for _, events in pairs(byThread) do
      threads = threads + 1
      table.sort(events, function(a, b) return a.ts < b.ts or a.ts == b.ts and a.dur > b.dur end)
      local open = {}
      for _, event in ipairs(events) do
        while #open > 0 and open[#open] <= event.ts + 1e-6 do open[#open] = nil end
        assert.is_true(#open == 0 or event.ts + event.dur <= open[#open] + 2e-3)
        open[#open + 1] = event.ts + event.dur
      end
    end
    for _, event in ipairs(trace.traceEvents) do
      if event.ph == 'M' and event.name == 'thread_name' then
        assert.equal(event.tid == complete[1].tid and 'program' or 'loops', event.args.name)
        byThread[event.tid] = nil
      end
    end
    assert.is_nil(next(byThread))
    assert.is_true(#p.parts[1].slices.event >= 4)                -- two parts of each of two loops
    local parts = 0
    for _, event in ipairs(complete) do parts = parts + (event.cat == 'loop' and 1 or 0) end
    -- A busy machine may leave all parts of a loop to the program's thread.
    assert.equal(parts > 0, threads > 1)
  end)

  it('counts the live bytes', function()
    local live, last = {}, nil
    for _, event in ipairs(trace.traceEvents) do
      if event.ph == 'C' then live[#live + 1], last = event.args.live, event.ts end
    end
    assert.is_true(#live >= 3 and last >= 0)
    local most = 0
    for _, bytes in ipairs(live) do most = math.max(most, bytes) end
    assert.equal(p:memoryBy().peak, most)
    assert.equal(p:memoryBy().live, live[#live])
  end)

  it('names a file that it can not write', function()
    assert.error_matches(function() p:exportChromeTrace '/nowhere/trace.json' end, 'path: /nowhere/trace.json: .*, expected a file')
    assert.error_matches(function() p:exportChromeTrace '/dev/full' end, 'exportChromeTrace: path: /dev/full')
    assert.error_matches(function() p:exportChromeTrace(3 == 4) end, 'exportChromeTrace: path: false, expected a string')
  end)
end)

describe('exportStacks', function()
  local function leaf(x)
    local y = torch.exp(x)
    return y
  end
  local function caller(x)
    local y = leaf(x)
    local z = torch.abs(y)
    return z
  end
  local function sums(text)
    local total, count, found = 0, 0, {}
    for stack, value in text:gmatch '([^\n]*) (%d+)\n' do
      total, count, found[#found + 1] = total + tonumber(value), count + 1, stack
    end
    return total, count, table.concat(found, '\n')
  end

  it('has the time of all events, in nanoseconds', function()
    local x = torch.randn(100, 100)
    local p = profiler.profile(function()
      for _ = 1, 4 do caller(x) end
      profiler.record('region', caller, x)
    end, { stacks = true, memory = true })
    local expected, bytes = 0, 0
    for _, event in ipairs(p:events()) do
      if not event.parent then expected, bytes = expected + event.duration * 1e9, bytes + event.bytes end
    end
    local total, count, text = sums(written(p, 'exportStacks'))
    assert.near(expected, total, 1)
    assert.equal(5, count)                                       -- exp, abs; the region, and both in it
    assert.matches(';caller %([^;]*files_spec.lua:%d+%);leaf %([^;]*files_spec.lua:%d+%);exp\n', text .. '\n')
    assert.matches(';region;abs\n', text .. '\n')
    total = sums(written(p, 'exportStacks', 'bytes'))
    assert.equal(bytes, total)
    assert.error_matches(function() p:exportStacks('x', 'colour') end, "exportStacks: metric: 'colour', expected one of 'time', 'bytes'")
    assert.equal(5, #p:keyAverages { groupBy = 'stack' } + 1)    -- without the region
  end)

  it('keeps semicolons and line ends out of names', function()
    local p = profiler.profile(function() profiler.record('a;b\nc', torch.exp, torch.ones(2)) end, { stacks = true })
    assert.matches('a b c;exp %d+\n', written(p, 'exportStacks'))
  end)
end)
