--- Methods of modules that look into them, and PyTorch's names for modes and gradients.
-- @module nn.support.inspection_methods
local tracked = require('libmoontorch').tracked

--- Adds these methods to a class.
-- @tparam table class nn.Module
return function(class)
  --- Calls `fn(module, input, output)` after each forward, under Torch7's protocol and on the tape. A result other than nil replaces the
  -- output. Files and copies don't have hooks. A module without hooks is as fast as before.
  -- @tparam function fn under Torch7's protocol it gets a copy of the output; several inputs of a class with `forward` are a table
  -- @return a handle: handle:remove() removes the hook
  -- @raise if `fn` is not callable
  -- @usage local handle = net:registerForwardHook(function(module, input, output) print(output:size()) end)
  function class:registerForwardHook(fn) return require('nn.support.hooks').register(self, 'post', 'registerForwardHook', fn) end

  --- Calls `fn(module, input)` before each forward. A result other than nil replaces the input.
  -- @tparam function fn
  -- @return a handle, as of `registerForwardHook`
  -- @raise if `fn` is not callable
  -- @usage net:registerForwardPreHook(function(module, input) return input / 255 end)
  function class:registerForwardPreHook(fn) return require('nn.support.hooks').register(self, 'pre', 'registerForwardPreHook', fn) end

  --- Calls `fn(module, gradInput, gradOutput)` when the gradients with respect to the module's input and output are known: that input and
  -- output which hooks of forward returned. A result other than nil replaces `gradInput`, which is nil if no input needs a gradient.
  -- @tparam function fn must not change the gradients in place
  -- @return a handle, as of `registerForwardHook`
  -- @raise if `fn` is not callable
  -- @usage net:registerFullBackwardHook(function(module, gradInput, gradOutput) print(gradOutput:norm()) end)
  function class:registerFullBackwardHook(fn)
    return require('nn.support.hooks').register(self, 'backward', 'registerFullBackwardHook', fn)
  end

  --- Returns what a forward of the module consists of: a line per call of a module, with the sizes of its output, its own parameters and
  -- its multiply-adds, which the ops inside have (products, convolutions, attention), and the sum, with the memory of inputs, outputs and
  -- parameters. The forward runs in evaluation mode, and changes nothing.
  -- @param ... as for `prepare`: sizes of the input (numbers, a table of numbers or a torch.LongStorage), a tensor as a sample, or a table
  -- of sizes and tensors for a module whose input is a table; several of them for a class with several inputs. Nothing: parameters only.
  -- @treturn table with a text for `print`, and the fields layers (name, type, depth, output, parameters, multiplyAdds), parameters,
  -- trainable, multiplyAdds, and the numbers of bytes inputBytes, outputBytes, parameterBytes
  -- @raise if the forward fails, or inside a capture
  -- @usage print(net:summary(1, 3, 32, 32))
  function class:summary(...) return require('nn.support.summary')(self, ...) end

  --- Switches to evaluation mode: PyTorch's name for `evaluate`.
  -- @treturn nn.Module self
  function class:eval()
    self:evaluate()
    return self
  end

  --- Sets the gradients of the parameters to 0: those of the tape, `parameter.grad`, and those of Torch7's protocol.
  function class:zeroGrad()
    for _, parameter in ipairs(self:parameters() or {}) do
      if tracked(parameter) then parameter:zeroGrad() end
    end
    self:zeroGradParameters()
  end
end
