--- Nodes waiting in a backward pass, newest first: a binary heap by number. Entry 0 is their count.
-- @module autograd.heap
local rshift = bit.rshift

local function push(heap, n)
  local i = heap[0] + 1
  heap[0] = i
  local number = n[1]
  while i > 1 do
    local parent = rshift(i, 1)
    local up = heap[parent]
    if up[1] >= number then break end
    heap[i] = up
    i = parent
  end
  heap[i] = n
end

--- Takes the newest node out of a heap that isn't empty.
local function pop(heap)
  local size = heap[0]
  local top, last = heap[1], heap[size]
  heap[size] = nil
  size = size - 1
  heap[0] = size
  if size == 0 then return top end
  local number, i = last[1], 1
  while true do
    local child = 2 * i
    if child > size then break end
    if child < size and heap[child + 1][1] > heap[child][1] then child = child + 1 end
    local down = heap[child]
    if down[1] <= number then break end
    heap[i] = down
    i = child
  end
  heap[i] = last
  return top
end

return { push = push, pop = pop }
