"""Signed distance fields: shapes, their combinations, and queries."""
