--- Neural network modules and criteria.
-- A class lives in the file of its name and is read when it is first asked for: by `nn.Linear`, as a parent in `torch.class`
-- or by a saved file.
-- @module nn
local torch = require 'torch'
require 'autograd'

local nn = rawget(_G, 'nn') or {}
rawset(_G, 'nn', nn)
package.loaded.nn = nn

-- Tables of functions; Torch7's name is not always the file's, which says what they are about.
local files = {
  utils = 'nested', tables = 'tables', hessian = 'hessian', test = 'test', testTHNN = 'testTHNN', init = 'initialisers',
  functional = 'functional',
}

setmetatable(nn, {
  __index = function(_, key)
    if type(key) ~= 'string' or not (files[key] or key:find '^%u') then return nil end
    local file = 'nn.' .. (files[key] or key)
    if files[key] then
      nn[key] = require(file)
    elseif package.loaded[file] == nil and (package.preload[file] or package.searchpath(file, package.path)) then
      require(file)
    end
    return rawget(nn, key)
  end,
  __names = function()
    local names = {}
    for name in pairs(files) do names[#names + 1] = name end
    for name in require('paths').files(require('torch').packageLuaPath 'nn', '^%u.*%.lua$') do names[#names + 1] = name:sub(1, -5) end
    return names
  end,
})

require 'torch.enumerate'(nn)

-- Torch7's kernels, read when the first is asked for.
local kernels = setmetatable({}, { __index = function(_, name) return nn.THNN.kernels[name] end })
for _, name in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do torch.getmetatable(name).THNN = kernels end

return nn
