--- The k-th smallest of numbers in memory, without sorting them all (Hoare's algorithm FIND, 1961, with the median of three as pivot).
-- @module data.frame.selection

--- Moves numbers so that none before place k exceeds it, and none after it is smaller.
-- @tparam cdata p doubles without NaN
-- @int low the first place
-- @int high the last place
-- @int k a place between them
-- @treturn number the one at place k
return function(p, low, high, k)
  while low < high do
    local a, b, c = p[low], p[math.floor((low + high) / 2)], p[high]
    local pivot = math.max(math.min(a, b), math.min(math.max(a, b), c))
    local i, j = low, high
    while i <= j do
      while p[i] < pivot do i = i + 1 end
      while p[j] > pivot do j = j - 1 end
      if i <= j then
        p[i], p[j] = p[j], p[i]
        i, j = i + 1, j - 1
      end
    end
    if k <= j then high = j elseif k >= i then low = i else break end
  end
  return p[k]
end
