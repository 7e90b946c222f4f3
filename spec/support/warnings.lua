--- Captures the standard error while a function runs.

--- Calls f.
-- @tparam function f
-- @param ... its arguments
-- @treturn {string,...} the written texts, one per call
-- @return its results
return function(f, ...)
  local lines, stderr = {}, io.stderr
  rawset(io, 'stderr', { write = function(_, ...) lines[#lines + 1] = table.concat({ ... }) end })
  local function gather(good, ...)
    rawset(io, 'stderr', stderr)
    if not good then error((...), 0) end
    return lines, ...
  end
  return gather(pcall(f, ...))
end
