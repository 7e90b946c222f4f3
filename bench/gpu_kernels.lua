--- Prints the compiler's figures of the plug-in's kernels: registers, stack (with spills), shared memory and the resulting occupancy; and
-- how many of the contiguous elementwise kernels load 16 bytes at once. `th bench/gpu_kernels.lua [--write docs/gpu.md] [plug-in]` needs
-- cuobjdump and nvdisasm of CUDA's toolkit, but no GPU. Kernels are grouped by their templates; all architectures of the plug-in are
-- listed. The exit status is 1 if a kernel has local memory for spills or fills less than half a multiprocessor, unless
-- bench/gpu_kernel_reasons.lua has a reason.
local reasons = require 'bench.gpu_kernel_reasons'

local target, library = nil, 'build/release/lib/libmoontorch_cuda.so'
local i = 1
while arg[i] do
  if arg[i] == '--write' then
    target, i = assert(arg[i + 1], '--write: expected the page'), i + 1
  else
    library = arg[i]
  end
  i = i + 1
end

local warps = { ['75'] = 32, ['80'] = 64, ['86'] = 48, ['89'] = 48, ['90'] = 64, ['100'] = 64, ['120'] = 48 }      -- of a multiprocessor
local registers, threads = 65536, 256      -- of a multiprocessor; of a block, as cuda/launch.h launches them

-- The share of a multiprocessor's warps that a kernel's blocks fill. Registers are allocated in units of 256 a warp (8 a thread).
local function occupancy(architecture, used)
  local each = math.ceil(math.max(used, 1) / 8) * 8 * 32
  local blocks = math.floor(math.floor(registers / each) / (threads / 32))
  return math.min(1, blocks * (threads / 32) / (warps[architecture] or 64))
end

local function reasonOf(name)
  for pattern, why in pairs(reasons) do
    if name:find(pattern) then return why end
  end
end

-- The template of a kernel, from its mangled name: the first name after run_kernel that is no namespace.
local function groupOf(name)
  local at = select(2, name:find('run_kernel', 1, true)) or 0
  while true do
    local first, last, length = name:find('(%d+)', at + 1)
    if not first then return name end
    local word = name:sub(last + 1, last + tonumber(length))
    if not word:find '^_GLOBAL' and word ~= 'mt' and word ~= 'cuda' and #word == tonumber(length) and word:find '^%a' then return word end
    at = word:find '^_GLOBAL' and last + tonumber(length) or last
  end
end

local groups, order, unknown = {}, {}, {}
local architecture, name
for line in io.popen(("cuobjdump -res-usage '%s' 2>/dev/null"):format(library)):lines() do
  architecture = line:match '^arch = sm_(%d+)' or architecture
  name = line:match 'Function ([%w_]+):' or name
  local used, stack, shared = line:match 'REG:(%d+) STACK:(%d+) SHARED:(%d+)'
  local spilled = line:match 'LOCAL:(%d+)'
  if used then
    local key = groupOf(name) .. ' ' .. architecture
    local group = groups[key]
    if not group then
      group = { template = groupOf(name), architecture = architecture, count = 0, registers = 0, stack = 0, shared = 0, least = 1 }
      groups[key], order[#order + 1] = group, key
    end
    local fills = occupancy(architecture, tonumber(used))
    group.count, group.registers = group.count + 1, math.max(group.registers, tonumber(used))
    group.stack, group.shared = math.max(group.stack, tonumber(stack)), math.max(group.shared, tonumber(shared))
    group.least = math.min(group.least, fills)
    if (tonumber(spilled) > 0 or fills < 0.5) and not reasonOf(name) then
      unknown[#unknown + 1] = ('sm_%s: %s registers, %s bytes of local memory, occupancy %.2f: %s'):format(architecture, used, spilled,
        fills, name)
    end
  end
end
if #order == 0 then error(library .. ': cuobjdump finds no kernels in it') end
table.sort(order)

local out = {}
local function say(...) out[#out + 1] = string.format(...) end
say '| template | sm | kernels | registers, most | stack, most | shared memory, most | occupancy, least |'
say '|---|---|---|---|---|---|---|'
for _, key in ipairs(order) do
  local group = groups[key]
  say('| %s | %s | %d | %d | %d | %d | %.2f |', group.template, group.architecture, group.count, group.registers, group.stack, group.shared,
    group.least)
end

-- Finds loads of 16 bytes or more in machine code.
local all, wide = {}, {}
name = nil
for line in io.popen(("cuobjdump -sass '%s' 2>/dev/null"):format(library)):lines() do
  name = line:match 'Function : ([%w_]+)' or name
  if name and name:find 'ContiguousKernel' then
    all[name] = true
    if line:find 'LDG%.E%.128' or line:find 'LDG%.E%.64' and name:find 'Ih' then wide[name] = true end
  end
end
local count, loading = 0, 0
for kernel in pairs(all) do
  count, loading = count + 1, loading + (wide[kernel] and 1 or 0)
  local reads = not kernel:find '4Frac' and not kernel:find '%dIs%u'
  if reads and not wide[kernel] then unknown[#unknown + 1] = 'no load of 16 bytes: ' .. kernel end
end
say ''
say('Contiguous elementwise kernels: %d; with loads of 16 bytes: %d.', count, loading)

local text = table.concat(out, '\n') .. '\n'
if target then
  local page = assert(io.open(target)):read '*a'
  local _, from = page:find('<!-- kernels -->\n', 1, true)
  local to = page:find('<!-- /kernels -->', 1, true)
  assert(from and to, target .. ': it has no place for the table')
  local file = assert(io.open(target, 'w'))
  file:write(page:sub(1, from), text, page:sub(to))
  file:close()
else
  io.write(text)
end
for _, line in ipairs(unknown) do print(line) end
os.exit(#unknown == 0, true)
