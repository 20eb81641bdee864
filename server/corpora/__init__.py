"""Resumable processing of many files by several processes, on this machine or others."""
