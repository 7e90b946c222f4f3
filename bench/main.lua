-- Moontorch's side of the benchmark; bench/run starts it.
local here = arg[0]:match '^(.*)/[^/]*$'
package.path = here .. '/?.lua;' .. package.path

local torch = require 'torch'
local json, measure = require 'json', require 'measure'

local function parse(words)
  local options, i = { threads = 1, only = '', patience = 0 }, 1
  local numbers, texts = { threads = true, patience = true }, { only = true, json = true }
  while i <= #words do
    local name, value = words[i]:match '^%-%-(%w+)$', words[i + 1]
    if name == 'list' then
      options.list = true
      i = i + 1
    elseif (numbers[name] and tonumber(value)) or (texts[name] and value) then
      options[name] = numbers[name] and tonumber(value) or value
      i = i + 2
    else
      io.stderr:write('bench: ', words[i], ': expected --threads N, --only REGEX, --json FILE, --patience S or --list\n')
      os.exit(2)
    end
  end
  return options
end

local function read(name)
  local file = name and io.open(name)
  if not file then return {} end
  local text = file:read '*a'
  file:close()
  return json.decode(text).results
end

local function processor()
  for line in io.lines '/proc/cpuinfo' do
    local name = line:match '^model name%s*:%s*(.*)'
    if name then return name end
  end
  return ''
end

local options = parse(arg)
measure.only, measure.patience, measure.list = options.only, options.patience, options.list
measure.threads, measure.folder = options.threads, here
torch.setnumthreads(options.threads)
torch.setdefaulttensortype 'torch.FloatTensor'

-- First the groups that need only tensors: new results cause collections, and these take longer with nn and optim in Lua's heap.
for _, group in ipairs { 'elementwise', 'reductions', 'matrices', 'overhead', 'layers', 'modern', 'training', 'models', 'inference',
                          'protocol', 'programs' } do
  require('workloads.' .. group)
end

if options.list then
  print(table.concat(measure.ids, '\n'))
elseif options.json then
  local results = read(options.json)
  for id, figures in pairs(measure.results) do results[id] = figures end
  local meta = { implementation = 'moontorch', version = torch.version_, threads = options.threads, cpu = processor(), time = os.time() }
  local file = assert(io.open(options.json, 'w'))
  file:write(json.encode { meta = meta, results = results }, '\n')
  file:close()
end
