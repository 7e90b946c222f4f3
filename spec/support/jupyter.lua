--- The Jupyter client that talks to the notebook kernel (spec/notebook/client.py).
local jupyter = {}

--- A Python with Jupyter's client: the first one in the search path, or Debian's.
-- @treturn ?string nil if there is none
function jupyter.python()
  for _, python in ipairs { 'python3', '/usr/bin/python3' } do
    if os.execute(python .. " -c 'import jupyter_client, nbclient' 2>/dev/null") == 0 then return python end
  end
end

return jupyter
