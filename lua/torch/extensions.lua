--- Extension points: torch calls functions of packages above it, and requires none of these packages.
-- A package registers its implementation of a point when it is loaded (`register`), or names the module that registers it at the first use
-- (`provide`). `torch.distribution` names these modules for packages that a program need not require. The points:
--
-- * `tape`: a table of functions. `getField(x, key)`; `setField(x, key, value)`, which returns whether the field is the tape's;
--   `index(x, key)` and `newIndex(x, key, value)`, recorded; `declare(name, forward, rule)`, which returns a function that is recorded as
--   one op (`autograd.tape`)
-- * `graphTransforms`: functions (graph, names) that return a function of tensors, the names of its arguments, and tensors for them:
--   `gradient` computes the gradients by these names, `jvp` the derivatives along further arguments, `vmap` (with the number of examples)
--   the outputs for all examples of a batch (`torch.graph.gradient`)
-- * `fusedFunction`: a function (f) that returns a function of a list of tensors, their names, and the arguments of f, which calls f on the
--   tape, and from the second call on as graphs (`torch.fuse`)
-- * `controlDerivatives`: the functions `cond` and `scan`, which run steps of control flow with tracked tensors inside captures
--   (`torch.graph.cond`)
-- * `modules`: functions that say which module runs, for profiles (`nn.support.observe`)
-- * `libraryRules`: a function (op, own) that checks the derivatives of a library's op; `own` has the names of the library's ops. It
--   returns nil, or the expression with a fault, and the fault
-- * `sweeps`: further sweeps of `torch.sweep`: the list `names`, and `find(name)`, which returns the function
-- * `classes.NAME`: a function (name) for unknown classes of the package NAME in files. It returns the name of the class that replaces it,
--   or nil; and optionally fields to add to the object, or a function that adds them
-- * `fields.NAME`: a function (name) for known classes of NAME in files. It returns nil, fields to add, or a function that adds them
-- * `addresses.NAME`: class of the package NAME -> the arguments of `C.adopt` for its objects, `{'container', number}`
-- @module torch.extensions
local modules = require 'torch.modules'
local distribution = require 'torch.distribution'

local extensions = {}

--- Point -> its implementation, if one is registered.
extensions.registered = {}
local registered = extensions.registered

--- Registers the implementation of an extension point.
-- @string point
-- @tparam function|table implementation
function extensions.register(point, implementation) registered[point] = implementation end

local providers = setmetatable({}, { __index = distribution.providers })      -- point -> module

--- Names the module that registers implementations when one of them is first used.
-- @string module
-- @string points separated by spaces
function extensions.provide(module, points)
  for point in points:gmatch '%S+' do providers[point] = module end
end

--- Returns the implementation of an extension point. If none is registered, the module that provides it is loaded first.
-- @string point
-- @treturn ?function|table nil if there is none: the package that provides it is not installed, or not loaded
function extensions.get(point)
  local provider = registered[point] == nil and providers[point]
  if provider and modules.isThere(provider:match '^[^.]*') then require(provider) end
  return registered[point]
end

return extensions
