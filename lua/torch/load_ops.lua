--- torch.loadOps: ops from shared libraries (docs/extending.md).
-- @module torch.load_ops
local C = require 'libmoontorch'
local check, class, extensions = require 'torch.check', require 'torch.class', require 'torch.extensions'

local loadOps = {}

-- Returns the file that a path names, or that package.cpath has for a module's name.
local function fileOf(path)
  if type(path) ~= 'string' then check.raise(('loadOps: path: %s, expected the path of a library'):format(class.type(path))) end
  if path:find '/' then return path end
  local file, tried = package.searchpath(path, package.cpath)
  if not file then check.raise(('loadOps: path: %s, expected a path or a library on package.cpath:%s'):format(path, tried)) end
  return file:find '/' and file or './' .. file
end

-- Raises an error if the op's name is taken.
local function refuseTaken(name, isMethod)
  if require('torch')[name] ~= nil then
    check.raise(('loadOps: %s: name: there is a torch.%s already'):format(name, name))
  elseif isMethod and require('torch.tensor').methods[name] ~= nil then
    check.raise(('loadOps: %s: name: tensors have a method %s already'):format(name, name))
  end
end

-- Parses a library's line of `C.opsOf`.
local function read(line)
  local op = { arguments = {}, gradients = {} }
  local parts = {}
  for part in (line .. '\t'):gmatch '(.-)\t' do parts[#parts + 1] = part end
  op.method, op.name = parts[1]:match '^(:?)(.*)$'
  for name in parts[2]:gmatch '%S+' do op.arguments[#op.arguments + 1] = name end
  for i = 3, #parts do op.gradients[#op.gradients + 1] = parts[i] ~= '' and parts[i] or nil end
  return op
end

-- Checks the expressions of derivatives, which use ops of the engine and the library's `own`. The tape compiles them at their first use;
-- checking them here reports errors when the library is loaded.
local function checkGradients(op, own)
  local faultOf = #op.gradients > 0 and extensions.get 'libraryRules'
  if not faultOf then return end
  local text, fault = faultOf(op, own)
  if text then check.raise(("loadOps: %s: gradients: '%s': %s"):format(op.name, text, fault)) end
end

--- Loads a library with ops (docs/extending.md): they become torch.<name> and methods of tensors, in all threads. They remain until the
-- process ends; loading the same library again does nothing.
-- @string path of the library, with a / in it; or its name on package.cpath, as for `require`
-- @treturn {string,...} the names of its ops
-- @raise if it can't be opened, was built for another version, has an invalid declaration, or an op whose name is taken; then none of its
--   ops is added
-- @usage torch.loadOps 'smooth.ops'
function loadOps.loadOps(path)
  local file = fileOf(path)
  local declared, added = check.call(C.opsOf, file)
  local ops, names, own = {}, {}, {}
  for line in declared:gmatch '[^\n]+' do
    local op = read(line)
    ops[#ops + 1], names[#names + 1], own[op.name] = op, op.name, true
  end
  for _, op in ipairs(added and {} or ops) do
    refuseTaken(op.name, op.method == ':')
    checkGradients(op, own)
  end
  if not added then check.call(C.loadOps, file) end
  return names
end

return loadOps
