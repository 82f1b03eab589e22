"""The documentation site: `make docs` builds it into build/docs, with no warning, and it needs no network to be read."""

import logging
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "solvers")]
os.environ.setdefault("OMP_NUM_THREADS", "1")
logging.getLogger("flexmbd").setLevel(logging.WARNING)  # the gallery's programs compile

import site_pages  # noqa: E402

project = "uqmbd and flexmbd"
author = "The uqmbd developers"
version = release = site_pages.version()
copyright = "the uqmbd developers"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_design", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["examples/*"]
templates_path = ["_templates"]
nitpicky = True
default_role = "code"  # `name` in docstrings
highlight_language = "text"  # of blocks that name none: formulas

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
python_maximum_signature_line_length = 100
nitpick_ignore_regex = [("py:.*", site_pages.NOT_HERE)]  # types of other packages, and those that have no page

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "plot_gallery": True,
}

html_theme = "furo"
html_title = "uqmbd and flexmbd"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}


def setup(app):
    """Pages that are made of what stands elsewhere, and links between files as links between pages."""
    site_pages.write_all()
    app.connect("source-read", site_pages.links_to_pages)
    app.connect("autodoc-process-docstring", site_pages.pages_named_in_docstrings)
    app.connect("autodoc-process-signature", site_pages.signature_of_settings)
    return {"parallel_read_safe": True}
