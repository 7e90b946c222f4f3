--- The field of a parameter's gradient: weight -> gradWeight. Names are cached.
-- @module nn.support.gradient_name
return setmetatable({}, {
  __index = function(names, name)
    local text = tostring(name)
    names[name] = 'grad' .. text:sub(1, 1):upper() .. text:sub(2)
    return names[name]
  end,
})
