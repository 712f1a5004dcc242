"""The language in which templates are written (`@idiom`, choices), and how a template becomes a kernel."""
