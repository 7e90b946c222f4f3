--- What the compiler tells of the kernels of cuda/kernels: registers, spills, shared memory and the occupancy that follows, and whether
-- the contiguous elementwise kernels load 16 bytes at once. `th bench/gpu_kernels.lua [architecture ...] [--write docs/gpu.md]`, by default
-- for 80, 90 and 120; it needs nvcc, and no GPU. One row a file and architecture; kernels that spill or fill less than half a
-- multiprocessor are listed by name. The exit status is 1 where one is that `reasons` does not know.
local reasons = require 'bench.gpu_kernel_reasons'

local architectures, target = {}, nil
local i = 1
while arg[i] do
  if arg[i] == '--write' then
    target, i = assert(arg[i + 1], '--write: the page was expected'), i + 1
  else
    architectures[#architectures + 1] = arg[i]
  end
  i = i + 1
end
if #architectures == 0 then architectures = { '80', '90', '120' } end

local warps = { ['75'] = 32, ['80'] = 64, ['86'] = 48, ['89'] = 48, ['90'] = 64, ['100'] = 64, ['120'] = 48 }      -- a multiprocessor's
local registers, threads = 65536, 256      -- of a multiprocessor; of a block, as cuda/launch.h launches them

local function lines(command)
  local pipe = assert(io.popen(command .. ' 2>&1; echo "status $?"'))
  local all = {}
  for line in pipe:lines() do all[#all + 1] = line end
  pipe:close()
  if all[#all] ~= 'status 0' then error(command .. '\n' .. table.concat(all, '\n'), 0) end
  return all
end

-- The part of a multiprocessor's warps that blocks of a kernel fill: registers are given out 256 a warp, 8 a thread.
local function occupancy(architecture, used)
  local each = math.ceil(math.max(used, 1) / 8) * 8 * 32
  local blocks = math.floor(math.floor(registers / each) / (threads / 32))
  return math.min(1, blocks * (threads / 32) / warps[architecture])
end

local function compile(file, architecture, kind, more)
  return lines(('nvcc -std=c++20 -O2 --expt-relaxed-constexpr --extended-lambda -diag-suppress 20012 -I. -arch=sm_%s %s %s -o %s %s')
    :format(architecture, kind, more, kind == '-ptx' and '/tmp/gpu_kernels.ptx' or '/dev/null', file))
end

local function measure(file, architecture)
  local kernels, name = {}, nil
  for _, line in ipairs(compile(file, architecture, '-cubin', '-Xptxas -v')) do
    name = line:match "Compiling entry function '(.-)'" or name
    local stores, loads = line:match '(%d+) bytes spill stores, (%d+) bytes spill loads'
    if stores then kernels[#kernels + 1] = { name = name, spills = stores + loads } end
    local used = line:match 'Used (%d+) registers'
    if used then
      local kernel = kernels[#kernels]
      kernel.registers, kernel.shared = tonumber(used), tonumber(line:match '(%d+) bytes smem' or 0)
      kernel.occupancy = occupancy(architecture, kernel.registers)
    end
  end
  return kernels
end

local function demangled(name) return lines("c++filt '" .. name .. "'")[1] end

local out, unknown = {}, {}
local function say(...) out[#out + 1] = string.format(...) end

say '| kernels | sm | number | registers, most | spills | shared memory, most | occupancy, least |'
say '|---|---|---|---|---|---|---|'
for _, file in ipairs(lines 'ls cuda/kernels/*.cu') do
  for _, architecture in ipairs(file:match '%.cu$' and architectures or {}) do
    local kernels = measure(file, architecture)
    local most, spills, shared, least = 0, 0, 0, 1
    for _, kernel in ipairs(kernels) do
      most, spills = math.max(most, kernel.registers), spills + kernel.spills
      shared, least = math.max(shared, kernel.shared), math.min(least, kernel.occupancy)
      if kernel.spills > 0 or kernel.occupancy < 0.5 then
        local text = demangled(kernel.name)
        local reason
        for pattern, why in pairs(reasons) do reason = reason or text:find(pattern) and why end
        if not reason then
          unknown[#unknown + 1] = ('%s, sm_%s: %d registers, %d bytes of spills, occupancy %.2f: %s'):format(file, architecture,
            kernel.registers, kernel.spills, kernel.occupancy, text)
        end
      end
    end
    if #kernels > 0 then
      say('| %s | %s | %d | %d | %d | %d | %.2f |', file:match '([%w_]+)%.cu', architecture, #kernels, most, spills, shared, least)
    end
  end
end

-- Vector loads, as PTX names them: machine code has a load of 128 bits for each.
compile('cuda/kernels/arithmetic.cu', architectures[1], '-ptx', '')
local plain, wide, entry = {}, {}, nil
for line in io.lines '/tmp/gpu_kernels.ptx' do
  entry = line:match '%.entry ([%w_]+)' or entry
  if entry and entry:find 'ContiguousKernel' then
    plain[entry] = true
    if line:find('ld%.global[%w%.]*%.v4%.[bfu]32') or line:find('ld%.global[%w%.]*%.v2%.[bfu]64') then wide[entry] = true end
  end
end
local all, loaded = 0, 0
for name in pairs(plain) do
  all, loaded = all + 1, loaded + (wide[name] and 1 or 0)
end
say ''
say('Contiguous kernels of arithmetic.cu: %d; with loads of 16 bytes: %d.', all, loaded)
if loaded < all then unknown[#unknown + 1] = 'a contiguous kernel of arithmetic.cu without loads of 16 bytes' end

local text = table.concat(out, '\n') .. '\n'
if target then
  local page = assert(io.open(target)):read '*a'
  local first, last = '<!-- kernels -->\n', '<!-- /kernels -->'
  local _, from = page:find(first, 1, true)
  local to = page:find(last, 1, true)
  assert(from and to, target .. ': it has no place for the table')
  assert(io.open(target, 'w')):write(page:sub(1, from), text, page:sub(to)):close()
else
  io.write(text)
end
for _, line in ipairs(unknown) do print(line) end
os.exit(#unknown == 0 and 0 or 1, true)
