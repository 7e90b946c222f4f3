"""Sphinx's settings for the site: `docs/build` calls it on the Markdown that docs/site/export.lua has written."""
import re
from pathlib import Path

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


def mend_furo(app, failure):
    """Debian's furo is not bundled: its script imports another, which no page from a file may, and its colours lack the dark of `auto`."""
    static = Path(app.outdir, "_static")
    script, style = static / "scripts/furo.js", static / "styles/furo.css"
    if failure or not script.read_text().startswith("import Gumshoe"):
        return
    gumshoe = (static / "scripts/gumshoe-patched.js").read_text()
    script.write_text(gumshoe + script.read_text().split("\n", 1)[1])
    dark = re.search(r'body\[data-theme="dark"\] (\{.*?\})', style.read_text(), re.S).group(1)
    with style.open("a") as file:
        file.write('@media (prefers-color-scheme: dark) { @media not print { body[data-theme="auto"] %s } }\n' % dark)


def setup(app):
    app.connect("build-finished", mend_furo)
    app.add_object_type("lua", "lua", objname="Lua", parse_node=parse_lua)
