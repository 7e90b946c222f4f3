--- Networks with the parameters of a file.
-- Names of a file are compared with those of the network's `stateDict`. A name that the network lacks goes through rules, patterns and
-- their replacements, until the network has it. Values that are not tensors are skipped, so files may hold more than the parameters.
-- @module zoo.load
local torch, check, paths = require 'torch', require 'torch.check', require 'paths'
local catalogue, state, matching = require 'zoo.catalogue', require 'nn.support.state', require 'nn.support.matching'

-- Where programs keep states in files, and what wrappers of modules put in front of names.
local rules = {
  { '_modules%.', '' }, { '_parameters%.', '' }, { '_buffers%.', '' }, { '^state_dict%.', '' }, { '^model_state_dict%.', '' },
  { '^state%.', '' }, { '^net%.', '' }, { '^model%.', '' }, { '^module%.', '' }, { '_orig_mod%.', '' }, { '^_model%.', '' },
}
local ignores = { 'num_batches_tracked$', '^optimizer' }

local function read(where, source, sha256)
  if type(source) == 'table' then return source end
  if type(source) ~= 'string' then check.raise(('%s: source: a %s, expected a file or a table'):format(where, torch.type(source))) end
  if sha256 or source:find '^%a+://' or paths.dirp(source) then source = require 'hub'.fetch(source, { sha256 = sha256 }) end
  local reader = (source:find '%.safetensors$' or source:find '%.safetensors%.index%.json$') and torch.safetensors or torch.pt
  return (check.call(reader.load, source))
end

local function joined(...)
  local all = {}
  for _, list in ipairs { ... } do
    for _, each in ipairs(list) do all[#all + 1] = each end
  end
  return all
end

local function split(options)
  local own, given = {}, {}
  for key, value in pairs(options or {}) do
    if key == 'dryRun' or key == 'partial' or key == 'sha256' then own[key] = value else given[key] = value end
  end
  return own, given
end

--- Makes a network, in the default type and in evaluation mode, and copies the parameters of a file into it.
-- @string name of `zoo.list`
-- @tparam string|table source a file of PyTorch's (.pt, .pth, .bin, TorchScript) or of safetensors (.safetensors,
-- .safetensors.index.json); a folder with one; an address of http or https, which `hub.fetch` fetches once; or the table that its reader
-- returned
-- @tparam[opt] table options those of `zoo.make`, and `partial`: parameters that the file lacks, or has in other sizes, stay as they were
-- drawn; `dryRun`: only the report is returned, and nothing is allocated; `sha256`: the file's checksum
-- @treturn nn.Module the network; with `dryRun`, nothing comes before the report
-- @treturn table report: `fitting` and `count`, numbers of tensors; `missing`, `unexpected` and `different`, lists of {name =, sizes =,
-- expected =}; `tostring` shows them
-- @raise if the file is damaged, or its tensors don't fit: then the error lists names and sizes
-- @usage local net = zoo.load('resnet18', 'resnet18.pth')
-- print(zoo.load('resnet18', 'resnet18.pth', { numClasses = 10, dryRun = true }))
return {
  load = function(name, source, options)
    local where = 'zoo.load: ' .. tostring(name)
    if options ~= nil then check.table(where, 'options', options) end
    local own, given = split(options)
    local family = catalogue.family('zoo.load', name)
    local complete = family:optionsOf(where, name, given)
    local values = read(where, source, own.sha256)
    local plan = torch.withDevice('meta', function() return family.make(complete) end)
    local familys, what = family.rules or {}, where .. ': source'
    local report, fitting = matching.compare(what, (state.entries(plan)), values, joined(familys, rules, familys),
      joined(ignores, family.ignores or {}))
    if own.dryRun then return report end
    matching.expect(what, report, own.partial)
    local net = family.make(complete)
    net:loadStateDict(fitting, { strict = false })
    net:evaluate()
    return net, report
  end,
}
