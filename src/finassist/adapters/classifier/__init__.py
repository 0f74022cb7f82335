"""Classifiers of questions that need no model call."""
