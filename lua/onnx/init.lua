--- ONNX: models of other frameworks as programs of Moontorch's ops. See docs/packages/onnx.md.
-- @module onnx
-- @usage local onnx = require 'onnx'
-- local model = onnx.load 'model.onnx'
-- print(model)
-- local results = model:run { input = torch.randn(1, 3, 224, 224):float() }
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local onnx = {}
require 'torch.modules'.publish('onnx', onnx)

require 'torch.start.lazy_loader'(onnx, [[
  onnx.Model: Model
]])

-- The functions of the library, for a function of this package.
local function functions(name)
  local native = require 'torch.graph_object'.native.onnx
  if not native then error(name .. ': a library that was built without ONNX, expected a build with libprotozero-dev', 3) end
  return native
end

--- Loads an ONNX file: opsets 7 to 28 (older ones as far as their ops are the same), with external data in its folder.
-- Nothing in the file runs as code. Weights without padding between them are copied from the file, external ones are mapped.
-- @string path
-- @treturn onnx.Model
-- @raise if the file is damaged, has elements of a type without a dtype, or nodes whose op is unknown: the message lists all of them
function onnx.load(path)
  if type(path) ~= 'string' then
    error(('onnx.load: path: %s, expected a string'):format(require 'torch.check.message'.value(path)), 2)
  end
  local good, loaded = pcall(functions('onnx.load').load, path)
  if not good then
    local recognise = require 'torch.file.recognise'
    error(recognise.explained(loaded, recognise.headOf(path), 'onnx.load'), 0)
  end
  return onnx.Model(path, loaded)
end

--- Writes a graph, a module or a function as an ONNX file, which other programs run. A module is captured in evaluation mode. Parameters
-- and other constants become initializers. Positions that count from 1 become positions that count from 0 inside of the file; inputs and
-- outputs keep the program's. The file is written under a temporary name, and renamed when it is complete.
-- @tparam torch.Graph|nn.Module|function x
-- @string file
-- @tparam[opt] table options `inputs`: example inputs, a tensor, a list, or tensors by name; needed for functions and modules (a module
-- accepts sizes, too). `inputNames`, `outputNames`: lists of names. `dynamic`: `{ input = { [1] = 'batch', [2] = 'time' } }`, dimensions of
-- inputs that may have another size in each run, with its name; their size in the example is 2 or more. `opset`: the version of the
-- operator set, 17 to 26 (default 18). `external`: whether tensors of 1 KB and more go to a second file, FILE.data, which models above 2 GB
-- need
-- @raise if a step has an op without a form in ONNX, with the op's name and the line of the program; if the graph writes to inputs or
-- constants; and for sizes that depend on elements. Nothing is written then.
-- @usage onnx.save(net, 'net.onnx', { inputs = torch.randn(2, 1, 28, 28):float(), dynamic = { input = { [1] = 'batch' } } })
function onnx.save(x, file, options)
  if not functions('onnx.save').write then error('onnx.save: not in this build (MT_MINIMAL)', 2) end
  return require 'onnx.write.file'(x, file, options)
end

--- The names of the ops of ONNX that models may have.
-- @treturn table a list in alphabetical order
function onnx.ops() return functions('onnx.ops').ops() end

return onnx
