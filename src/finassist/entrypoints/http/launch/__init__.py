"""The launch of an app over HTTP."""
