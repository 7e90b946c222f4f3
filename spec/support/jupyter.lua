--- The client of Jupyter's that talks to the notebook kernel (spec/notebook/client.py).
local jupyter = {}

--- A Python that has Jupyter's client; Debian's has it where another comes first.
-- @treturn ?string nil where none has
function jupyter.python()
  for _, python in ipairs { 'python3', '/usr/bin/python3' } do
    if os.execute(python .. " -c 'import jupyter_client, nbclient' 2>/dev/null") == 0 then return python end
  end
end

return jupyter
