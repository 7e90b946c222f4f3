-- Runs first: it takes long. The sources of fused steps, compiled by the host's compiler for emulated GPUs, and their files.
local emulated = require 'spec.support.emulated_cuda'

local here = io.popen('pwd'):read '*l'
local compiler = ('g++ -std=c++20 -O1 -I%s'):format(here)
local found = os.execute 'g++ --version >/dev/null 2>&1'
local folder = os.tmpname()

-- Runs a program on emulated GPUs that compile fused steps; returns its output.
local function run(program, command)
  return emulated.run(program, ("MOONTORCH_KERNELS=%s MOONTORCH_EMULATED_COMPILER='%s'"):format(folder, command or compiler))
end

local counts = [[
local c = require('torch.cuda').counters()
io.write(('fused %d, compiled %d, read %d, refused %d\n'):format(c.fusedLaunches, c.compiledKernels, c.readKernels, c.refusedKernels))
]]

local small = [[
local x = torch.range(1, 100):div(50):to 'cuda:1'
for n = 2, 4 do
  local g = torch.graph.parse(('graph(x: tensor) { fused { a = add(x, %d)\n b = tanh(a) } return b }'):format(n))
  assert(torch.equal(torch.tanh(torch.add(x, n)), (g:run(x))))
  local t = x:view(10, 10):t()
  assert(torch.equal(torch.tanh(torch.add(t, n)), (g:run(t))))
end
]] .. counts

if require('spec.support.gpu').wish ~= 'emulated' or (found ~= 0 and found ~= true) then
  describe('sources of fused steps', function() pending 'need an emulated GPU and g++' end)
  return
end

describe('sources of fused steps, compiled on the host,', function()
  os.remove(folder)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('have the bits of the steps one by one, for all ops and dtypes', function()
    local text = run([[
      local fused = require 'spec.support.fused_on_device'
      fused.each(function(_, check) check('contiguous', 'cuda:1') end)
    ]] .. counts)
    assert.equal('fused 43, compiled 43, read 0, refused 0\n', text)
  end)

  it('have them for all layouts', function()
    local text = run([[
      local fused = require 'spec.support.fused_on_device'
      for layout in pairs(fused.layouts) do
        fused.each(function(dtype, check)
          if dtype == 'Short' then check(layout, 'cuda:1') end
        end)
      end
    ]] .. counts)
    assert.is_truthy(text:find '^fused 18, compiled %d+, read %d+, refused 0\n$', text)
  end)

  it('are compiled once, whatever the numbers, and read from files by other processes', function()
    assert.equal('fused 6, compiled 2, read 0, refused 0\n', run(small))
    assert.equal('fused 6, compiled 0, read 2, refused 0\n', run(small))
    assert.equal('fused 6, compiled 2, read 0, refused 0\n', run(small, compiler .. ' -O0'))      -- another compiler
  end)

  it('are compiled again if a file is damaged', function()
    for file in io.popen('ls ' .. folder):lines() do
      local path = folder .. '/' .. file
      local f = assert(io.open(path, 'r+'))
      f:seek('end', -20)
      f:write 'x'
      f:close()
    end
    assert.equal('fused 6, compiled 2, read 0, refused 0\n', run(small))
  end)

  it('that the compiler refuses run one by one, and its message is available', function()
    local text = run(small .. [[
      local ffi, api = require 'ffi', require 'torch.cuda.api'
      local text = ffi.new 'char[8]'
      local length = ffi.new 'size_t[1]'
      api.call('spec', 'compiler_log', text, 8, length)
      io.write(#ffi.string(text), ' ', tostring(length[0] > 7))
    ]], 'g++ -std=c++20 -I/nowhere')
    assert.equal('fused 0, compiled 0, read 0, refused 2\n7 true', text)
  end)
end)
