--- What quantisation changes: the loss of each layer, sizes and times.
-- @module quantize.report
-- @local
local torch = require 'torch'
local convert, floats, values = require 'quantize.convert', require 'quantize.floats', require 'quantize.values'
local listOf, program = require 'quantize.inputs', require 'quantize.program'
local native = require('torch.graph_object').native

local Report = torch.class('quantize.Report', {})

local function bytesOf(x) return x:nElement() * x:elementSize() end

-- The root of the mean squared difference, relative to that of the values. A view may have followed, which has other sizes.
local function relative(wanted, got)
  got = got:reshape(wanted:size())
  local scale = torch.norm(wanted)
  return scale > 0 and torch.norm(torch.csub(wanted, got)) / scale or 0
end

-- The least time of a few runs, in milliseconds.
local function least(run, inputs)
  local best = math.huge
  for _ = 1, 5 do
    local timer = torch.Timer()
    run(unpack(inputs))
    best = math.min(best, timer:time().real * 1000)
  end
  return best
end

function Report:__tostring()
  local width = 9
  for _, layer in ipairs(self.layers) do width = math.max(width, #layer.op) end
  local columns = ('%%-5s %%-%ds %%-20s '):format(width)
  local lines = { (columns .. '%10s %10s %10s'):format('step', 'op', 'weight', 'loss [%]', 'before [B]', 'after [B]') }
  for _, layer in ipairs(self.layers) do
    lines[#lines + 1] = (columns .. '%10.3f %10d %10d'):format(layer.step, layer.op, table.concat(layer.sizes, ' x '),
      100 * layer.loss, layer.before, layer.after)
  end
  lines[#lines + 1] = ('all constants: %d bytes before, %d after; loss of the output: %.3f %%'):format(self.before, self.after,
    100 * self.loss)
  lines[#lines + 1] = ('a run: %.3f ms before, %.3f ms after'):format(self.timeBefore, self.timeAfter)
  return table.concat(lines, '\n')
end

--- Compares a prepared network with its integers.
-- @tparam quantize.Prepared prepared
-- @param input a tensor, or a list of tensors, for which losses and times are taken
-- @treturn quantize.Report `layers`: a list of tables with `step`, `op`, `sizes` of the weight, `loss`, `before` and `after`, its bytes;
-- `loss` of the first output; `before` and `after`: bytes of all constants; `timeBefore` and `timeAfter` in milliseconds
return function(prepared, input)
  local inputs = listOf('quantize.report: input', input, #native.inputs(prepared.graph))
  local self = torch.factory 'quantize.Report' ()
  return torch.noGrad(function()
    local outputs, layers = {}, {}
    local float = floats(prepared.graph, program.constants(prepared.graph), {
      skips = prepared.skips, attention = prepared.options.attention, onLayer = function(number, result) outputs[number] = result end,
    })
    local wanted = float(unpack(inputs))
    local seen = {}
    local integers = convert.runner(prepared, function(number, op, weight, w, value, replaced)
      if replaced then
        for i, layer in ipairs(layers) do
          if layer.step == replaced then table.remove(layers, i) end
        end
      end
      local isNew = weight ~= nil and not seen[w]
      layers[#layers + 1] = {
        step = number, op = op, sizes = weight and weight:size():totable() or {}, value = value, before = isNew and bytesOf(weight) or 0,
        after = isNew and bytesOf(w.data) + (w.scale and bytesOf(w.scale) or 0) + (w.zero and bytesOf(w.zero) or 0) or 0,
      }
      if weight then seen[w] = true end
    end)
    local got = integers(unpack(inputs))
    for _, layer in ipairs(layers) do
      layer.loss = outputs[layer.step] and relative(outputs[layer.step], values.is(layer.value) and layer.value:exact() or layer.value) or 0
      layer.value = nil
    end
    self.layers, self.loss = layers, relative(wanted, got)
    local graph = convert.graph(prepared)
    self.before, self.after = 0, 0
    for _, constant in ipairs(program.constants(prepared.graph)) do self.before = self.before + bytesOf(constant) end
    for _, constant in ipairs(program.constants(graph)) do self.after = self.after + bytesOf(constant) end
    self.timeBefore = least(function(...) return prepared.graph:run(...) end, inputs)
    self.timeAfter = least(function(...) return graph:run(...) end, inputs)
    return self
  end)
end
