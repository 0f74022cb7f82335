"""The real engines that tests run against: each is found or started on first use, once a session.

``make engines`` provides what can be built. A test whose engine is missing is skipped and says so.
"""
