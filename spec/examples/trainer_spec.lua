-- examples/trainer.lua: killed while it trains, and started again, it leaves the logs and the model of a run without interruption.
local torch, paths = require 'torch', require 'paths'
local program, files = require 'spec.support.program', require 'spec.support.files'
local setups = require 'spec.trainer.setups'

local function folder()
  local name = os.tmpname()
  os.remove(name)
  return name
end

local function run(place) return program.run { 'examples/trainer.lua', place, '2' } end

-- Starts the program, and kills it when its log has so many rows.
local function killAt(place, rows)
  local pipe = io.popen(([[
    %s examples/trainer.lua %s 2 >/dev/null 2>&1 & child=$!
    for i in $(seq 3000); do
      [ "$(cat %s/steps.jsonl 2>/dev/null | wc -l)" -ge %d ] && break
      sleep 0.01
    done
    { kill -9 $child; wait $child; } 2>/dev/null
    echo $?]]):format(program.path, place, place, rows))
  local status = tonumber(pipe:read '*l')
  pipe:close()
  return status
end

local function resultsOf(place)
  local file = require 'trainer.checkpoint_file'
  local state = file.read('spec', place .. '/step-0000000126.checkpoint')
  local hash = require('md5').sumhexa(setups.text { state.model, state.optimizer, state.random })
  return { files.read(place .. '/epochs.csv'), files.read(place .. '/steps.jsonl'), hash }
end

describe('examples/trainer.lua', function()
  if not pcall(require('image').compressPNG, torch.zeros(2, 2)) then return pending 'needs the package image' end

  it('learns, and continues after SIGKILL with the same bits', function()
    local whole, killed = folder(), folder()
    local output, status, errors = run(whole)
    assert.same({ 0, '' }, { status, errors })
    assert.is_true(tonumber(output:match 'the best error is ([%d.]+) %%, in epoch 2') < 40)
    local generator = torch.Generator()
    torch.manualSeed(generator, 3)
    local rows = torch.random(generator, 5, 60)
    assert.equal(137, killAt(killed, rows))
    assert.equal(137, killAt(killed, rows + torch.random(generator, 5, 60)))
    local rest, code = run(killed)
    assert.equal(0, code)
    assert.equal(output:match 'the best.*', rest:match 'the best.*')
    assert.same(resultsOf(whole), resultsOf(killed))
    paths.rmall(whole, 'yes')
    paths.rmall(killed, 'yes')
  end)

  it('has 25 lines', function() assert.equal(25, select(2, files.read('examples/trainer.lua'):gsub('\n', ''))) end)
end)
