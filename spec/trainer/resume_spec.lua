-- Runs that are killed at random steps, and resumed, end with the bits of a run without interruption.
local program, files = require 'spec.support.program', require 'spec.support.files'
local torch, paths = require 'torch', require 'paths'

local function folder()
  local name = os.tmpname()
  os.remove(name)
  return name
end

local function train(place, protocol, workers, ...)
  local output, status = program.run { 'spec/trainer/killed.lua', place, protocol, tostring(workers), ... }
  return output:match 'result[^\n]*', status, output
end

-- Starts a training, and kills it when it has printed a step, wherever it is then.
local function killFromOutside(place, protocol, workers, step)
  local pipe = io.popen(('echo $$; exec %s spec/trainer/killed.lua %s %s %d'):format(program.path, place, protocol, workers))
  local id, result = tonumber(pipe:read '*l'), nil
  for line in pipe:lines() do
    if line:match '^result' then result = line end
    if line == 'step ' .. step then os.execute(('kill -9 %d 2>/dev/null'):format(id)) end
  end
  pipe:close()
  return result
end

describe('a killed and resumed training', function()
  local phases = { 'batch', 'backward', 'step', 'epoch', 'rename' }
  for _, protocol in ipairs { 'tape', 'classic' } do
    it('ends with the same bits: ' .. protocol, function()
      local place = folder()
      local expected, status = train(place, protocol, 2)
      assert.equal(0, status)
      assert.matches('^result%s+epochs%s+16%s+%x+%s+%x+%s+%x+', expected)
      paths.rmall(place, 'yes')

      local generator = torch.Generator()
      torch.manualSeed(generator, 11)
      local kills, result, seen = 0, nil, 0
      for round = 1, 12 do
        local step = tostring(torch.random(generator, seen, math.min(15, seen + 5)))
        local phase = phases[torch.random(generator, 1, #phases)]
        local output, code, whole
        output, code, whole = train(place, protocol, round % 3, step, phase)
        result = result or output
        if code ~= 0 then
          assert.equal(137, code)
          kills = kills + 1
          seen = math.max(seen, tonumber(whole:match '.*step (%d+)') or 0)
        end
        if seen >= 15 then break end
      end
      assert.is_true(kills >= 4)
      assert.equal(expected, (train(place, protocol, 0)))
      paths.rmall(place, 'yes')
    end)
  end

  it('ends with the same bits when killed at the end of an epoch, whose last step has fewer batches', function()
    local place = folder()
    local expected = train(place, 'tape', 0)
    for _, phase in ipairs { 'step', 'epoch' } do
      paths.rmall(place, 'yes')
      local _, status = train(place, 'tape', 0, '4', phase)
      assert.equal(137, status)
      assert.equal(expected, (train(place, 'tape', 0)))
    end
    paths.rmall(place, 'yes')
  end)

  it('ends with the same bits when another process kills it', function()
    local place = folder()
    local expected = train(place, 'tape', 2)
    paths.rmall(place, 'yes')
    for _, step in ipairs { 3, 7, 8, 13 } do killFromOutside(place, 'tape', 2, step) end
    assert.equal(expected, (train(place, 'tape', 2)))
    for _, name in ipairs(paths.dir(place)) do
      local isKnown = name:find '^%.+$' or name:find '%.checkpoint$' or name:find '^events' or name == 'epochs.csv' or name == 'steps.jsonl'
      assert.is_true(isKnown ~= nil, name)
      if name:find '%.checkpoint$' then assert.matches('^moontorch checkpoint 1 ', files.read(place .. '/' .. name)) end
    end
    paths.rmall(place, 'yes')
  end)
end)
