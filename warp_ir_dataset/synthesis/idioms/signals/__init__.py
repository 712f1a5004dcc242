"""Signals: filters of samples in time, with the state that they keep."""
