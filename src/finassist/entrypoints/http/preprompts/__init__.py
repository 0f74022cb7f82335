"""The catalogs of pre-prompts and second-opinion cards over HTTP."""
