"""The service over HTTP.

What a route asks of the machinery before its handler stands in its ``opt``:

- ``accepts``: whom it accepts as the caller (``security``);
- ``file_part``, ``text_parts``: the form that it takes besides JSON, read in memory (``forms``);
- ``form``: the form that it takes instead, which its handler receives on disk (``uploads``);
- ``large_bodies``: its JSON may be large and waits on disk for its turn (``large_bodies``);
- ``response_headers``: what goes with every answer, the refusals too (``edge``);
- ``request_example``: what the description shows as a request; longer examples, of responses, are in the
  file ``response_examples.json`` of the feature's package (``openapi.examples``);
- ``pages``: the statuses that are pages for browsers too; ``query``, ``url_form``: what the handler reads by
  itself. These and ``form`` are for the description alone (``openapi``).

Who shows the backend secret is let in by a guard (``AS_BACKEND`` in ``security``), before the body is read.
"""
