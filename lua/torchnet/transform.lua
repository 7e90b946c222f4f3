--- Functions of samples: combinations of functions, and functions of tables.
-- @module torchnet.transform
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'

local transform = {}

--- Returns its arguments.
-- @function identity
transform.identity = function(...) return ... end

--- Applies functions in order.
-- @function compose
-- @tparam {function,...} transforms
transform.compose = argcheck {
  { name = 'transforms', type = 'table', help = 'list of functions' },
  call = function(transforms)
    return function(value, ...)
      for _, f in ipairs(transforms) do value = f(value, ...) end
      return value
    end
  end,
}

--- Merges the tables that several functions return for a sample.
-- @function merge
-- @tparam {function,...} transforms functions that return tables; entries of later ones replace earlier ones
transform.merge = argcheck {
  { name = 'transforms', type = 'table', help = 'list of functions that give tables' },
  call = function(transforms)
    return function(value, ...)
      local merged = {}
      for _, f in ipairs(transforms) do
        for key, entry in pairs(f(value, ...)) do merged[key] = entry end
      end
      return merged
    end
  end,
}

--- A function that returns a new table each time.
-- @function tablenew
transform.tablenew = function()
  return function(_) return {} end
end

--- Applies a function to each entry of a table.
-- @function tableapply
-- @tparam function f
transform.tableapply = argcheck {
  { name = 'f', type = 'function', help = 'of an entry' },
  call = function(f)
    return function(value, ...) return tnt.utils.table.foreach(value, f, false, ...) end
  end,
}

--- Converts a list of tables to a table of lists by key.
-- @function tablemergekeys
transform.tablemergekeys = function()
  return function(list)
    local merged = {}
    for i, sample in ipairs(list) do
      for key, entry in pairs(sample) do
        merged[key] = merged[key] or {}
        merged[key][i] = entry
      end
    end
    return merged
  end
end

local function mergeField(field)
  return tnt.utils.table.canmergetensor(field) and tnt.utils.table.mergetensor(field) or field
end

--- Builds a batch from a list of samples. Without a function it stacks tensors of equal sizes, for tables in each field.
-- @function makebatch
-- @tparam[opt] function merge of a list of samples
transform.makebatch = argcheck {
  { name = 'merge', type = 'function', opt = true, help = 'of a list of samples' },
  call = function(merge)
    if merge then return merge end
    local byKey = transform.tablemergekeys()
    return function(samples)
      if type(samples[1]) ~= 'table' or torch.typename(samples[1]) then return mergeField(samples) end
      local batch = byKey(samples)
      for key, field in pairs(batch) do batch[key] = mergeField(field) end
      return batch
    end
  end,
}

--- A random order: a function (idx) -> number, from 1 to n.
-- @function randperm
-- @int n
transform.randperm = argcheck {
  { name = 'n', type = 'number', help = 'how many numbers' },
  call = function(n)
    local order = torch.randperm(n):long()
    return function(index) return order[index] end
  end,
}

--- Subtracts the mean of a tensor and divides by its standard deviation if that is above a threshold.
-- @function normalize
-- @number[opt=0] threshold
transform.normalize = argcheck {
  { name = 'threshold', type = 'number', default = 0 },
  call = function(threshold)
    return function(x)
      local std = x:std()
      x:add(-x:mean())
      if std > threshold then x:div(std) end
      return x
    end
  end,
}

return transform
