"""``make bench``: the service's speed, every figure beside a baseline of the same run.

``chat`` measures the chat against ``model`` and a bare relay, ``reads`` the lists against a bare
Litestar route and against a store of a million messages, ``start`` the way to readiness, ``mongodb`` the
same on MongoDB, ``identity`` tokens and sign-ins. ``load`` asks,
in a process of its own; ``baselines`` holds what is compared with; ``report`` tells the figures.
"""
