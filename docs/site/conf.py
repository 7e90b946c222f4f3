"""Sphinx's settings for the site: `docs/build` calls it on the Markdown that docs/site/export.lua has written."""
from docutils import nodes
from sphinx import addnodes

project = "Moontorch"
html_title = "Moontorch"
copyright = "the Moontorch authors"
extensions = ["myst_parser"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["moontorch.css"]
html_use_index = False  # docs/reference/names.md is the index
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
smartquotes = False
highlight_language = "text"
nitpicky = True


def parse_lua(env, signature, node):
    """NAME ¦ CALL ¦ CALL: what it is called, and how, a line each."""
    name, *calls = signature.split(" ¦ ")
    node["is_multiline"] = True
    for call in calls or [name]:
        line = addnodes.desc_signature_line()
        head, bracket, arguments = call.partition("(")
        line += addnodes.desc_name(head, head)
        line += nodes.Text(bracket + arguments)
        node += line
    return name


def setup(app):
    app.add_object_type("lua", "lua", objname="Lua", parse_node=parse_lua)
