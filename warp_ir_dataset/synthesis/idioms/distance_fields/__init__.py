"""Signed distance fields: shapes, how they are put together, and what is asked of them."""
