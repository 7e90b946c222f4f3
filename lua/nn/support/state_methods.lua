--- Methods of modules for parameters, buffers and children by PyTorch's names.
-- @module nn.support.state_methods
local members, gradientName = require 'nn.support.members', require 'nn.support.gradient_name'

-- Returns an iterator over the entries of a list.
local function eachEntry(list)
  local i = 0
  return function()
    i = i + 1
    if list[i] then return unpack(list[i], 1, 3) end
  end
end

--- Adds these methods to a class.
-- @tparam table class nn.Module
return function(class)
  --- Makes a tensor a parameter, in the field `name`, after those that exist: PyTorch's form of `declare`. A parameter of this name is
  -- replaced.
  -- @string name a letter, then letters, digits or _; not another field's or method's
  -- @tparam ?torch.Tensor parameter for example `nn.Parameter(x)`; nil removes the parameter
  -- @treturn nn.Module self
  -- @raise if the name is not possible, or `parameter` is not a tensor
  -- @usage net:registerParameter('scale', nn.Parameter(torch.ones(3)))
  function class:registerParameter(name, parameter)
    members.register(self, name, parameter)
    return self
  end

  --- Makes `tensor` a buffer, in the field `name`: a part of the state that is not a parameter. Copies and files of the module keep it. A
  -- buffer of this name is replaced.
  -- @string name a letter, then letters, digits or _; not another field's or method's
  -- @tparam torch.Tensor tensor
  -- @tparam[opt] table options persistent (true): whether the buffer is in `stateDict`
  -- @treturn nn.Module self
  -- @raise if the name is not possible, or `tensor` is not a tensor
  -- @usage net:registerBuffer('mean', torch.zeros(3))
  function class:registerBuffer(name, tensor, options)
    require('nn.support.state').registerBuffer(self, name, tensor, options)
    return self
  end

  --- Iterates over the parameters with their names in `stateDict`, in its order. A parameter that occurs several times has the name of its
  -- first occurrence. Frozen parameters have no gradient.
  -- @treturn function iterator that returns a name, a parameter and its gradient, not copies
  -- @usage for name, weight, gradient in net:namedParameters() do print(name, gradient:norm()) end
  function class:namedParameters()
    local list, seen = {}, {}
    for _, entry in ipairs((require('nn.support.state').entries(self))) do
      if not entry.isBuffer and not seen[entry.source] then
        seen[entry.source] = true
        list[#list + 1] = { entry.name, entry.source, entry.module[gradientName[entry.field]] }
      end
    end
    return eachEntry(list)
  end

  --- Iterates over the direct children with PyTorch's names: positions in `modules`, counted from 0, then the fields of other modules, in
  -- alphabetical order. Fields whose names start with an underscore are left out.
  -- @treturn function iterator that returns a name and a module
  -- @usage for name, child in net:namedChildren() do print(name, child) end
  function class:namedChildren() return eachEntry(require('nn.support.state').children(self)) end

  --- Iterates over this module, whose name is empty, and its descendants, parents first. Names are paths of those of `namedChildren`. A
  -- module that occurs several times has the name of its first occurrence.
  -- @treturn function iterator that returns a name and a module
  -- @usage for name, module in net:namedModules() do print(name, torch.type(module)) end
  function class:namedModules() return eachEntry(require('nn.support.state').modules(self)) end

  --- Iterates over the buffers, tensors of the state that are not parameters, such as running means, with their names in `stateDict`.
  -- @treturn function iterator that returns a name and a tensor, not a copy
  -- @usage for name, buffer in net:namedBuffers() do print(name, buffer:nElement()) end
  function class:namedBuffers()
    local list = {}
    for _, entry in ipairs((require('nn.support.state').entries(self))) do
      if entry.isBuffer then list[#list + 1] = { entry.name, entry.source } end
    end
    return eachEntry(list)
  end

  --- Returns the direct children, as of `namedChildren`, each once.
  -- @treturn {nn.Module,...}
  function class:children()
    local list, seen = {}, {}
    for _, child in self:namedChildren() do
      if not seen[child] then list[#list + 1] = child end
      seen[child] = true
    end
    return list
  end

  --- Returns all parameters, frozen ones too, and buffers, by PyTorch's names and with PyTorch's sizes: `0.weight` is the weight of the
  -- first child. The tensors share the module's memory, and are not tracked. `torch.pt.save` keeps their order. `num_batches_tracked`, the
  -- counter of batch normalisation, has one element here and no dimension in PyTorch, which reads either.
  -- @treturn {[string]=torch.Tensor} a table by name
  -- @usage torch.pt.save('net.pt', net:stateDict())
  function class:stateDict() return require('nn.support.state').dictionary(self) end

  --- Copies tensors of any dtype into the parameters and buffers of these names (see `stateDict`), which keep their memory. If there is an
  -- error, nothing changes.
  -- @tparam {[string]=torch.Tensor} state for example of `torch.pt.load`
  -- @tparam[opt] table options strict (true): missing and unexpected names are errors. `rules`: a list of patterns of Lua and replacements,
  -- { { '^layer1%.', '0.' } }, through which names of the state go until the module has them. With rules, tensors may be in nested tables,
  -- other values are skipped, and what doesn't fit is listed by name and size; so are they with `ignores`, patterns of names that may be
  -- missing or unexpected, with `partial`, which loads what fits, and with `dryRun`, which only returns the list
  -- @treturn {string,...} names that `state` lacks; with rules, ignores, partial or dryRun instead a report: `fitting` and `count`, numbers
  -- of tensors, `missing`, `unexpected` and `different`, lists of {name =, sizes =, expected =}; `tostring` shows them
  -- @treturn {string,...} names that the module lacks
  -- @raise if names differ, a value isn't a tensor, or sizes differ
  -- @usage net:loadStateDict(torch.pt.load 'net.pt')
  function class:loadStateDict(state, options) return require('nn.support.state').load(self, state, options) end

  --- Returns the number of elements of all parameters. Tensors in the same memory count once.
  -- @treturn int
  -- @treturn int of those that are not frozen
  -- @usage print(net:numParameters())
  function class:numParameters() return require('nn.support.freeze').count(self) end

  --- Freezes parameters: the tape and Torch7's protocol don't compute their gradients, `parameters()` and `getParameters()` leave them out,
  -- and optimisers on the tape leave them unchanged. Call `getParameters` anew afterwards.
  -- @string ... their names in `stateDict`, or paths of modules; `*` stands for any characters, `?` for one: 'features', '0.*', '*.bias'.
  -- None means all parameters.
  -- @treturn nn.Module self
  -- @raise if a name fits no parameter, or a module can't do without the gradient; then nothing changes
  -- @usage net:freeze 'features'
  function class:freeze(...)
    require('nn.support.freeze').freeze(self, { ... })
    return self
  end

  --- Undoes `freeze` of parameters; their gradients are zeros.
  -- @string ... names as for `freeze`
  -- @treturn nn.Module self
  -- @raise if a name fits no parameter
  function class:unfreeze(...)
    require('nn.support.freeze').unfreeze(self, { ... })
    return self
  end
end
