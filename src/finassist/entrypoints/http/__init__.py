"""The service over HTTP.

The ``opt`` of a route declares what is done before its handler is called:

- ``accepts``: which callers it accepts (``security``);
- ``file_part``, ``text_parts``: the form that it takes besides JSON, read in memory (``forms``);
- ``form``: the form that it takes instead of JSON, which its handler receives on disk (``uploads``);
- ``large_bodies``: its JSON may be large and waits on disk for its turn (``large_bodies``);
- ``audited``: which of its calls the audit log records (``audit``);
- ``response_headers``: the headers of every response, errors included (``edge``);
- ``gives_device_token``: its first response to a device has the device's secret (``security``);
- ``request_example``: the example of a request in the API description; those of responses are longer, and in
  the file ``response_examples.json`` of the feature's package (``openapi.examples``);
- ``pages``: the statuses that can also be HTML pages; ``query``, ``url_form``: parameters that the handler
  reads by itself. These and ``form`` are for the API description only (``openapi``).

Callers with the backend secret are admitted by a guard (``AS_BACKEND`` in ``security``), before the body is
read.
"""
