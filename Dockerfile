# Two stages: build the environment with pip from the hashed requirements, run without any build tool. Every
# extra is in, so that each setting works. The image below is named by a tag, which Debian's corrections move;
# to build on one that cannot change, --build-arg PYTHON_IMAGE=python@sha256:…
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
FROM ${PYTHON_IMAGE} AS build
WORKDIR /build
COPY requirements/extras.txt requirements/extras.txt
RUN python -m venv /opt/finassist \
    && /opt/finassist/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --require-hashes \
        -r requirements/extras.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/finassist/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation .

FROM ${PYTHON_IMAGE}
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/finassist finassist
COPY --from=build /opt/finassist /opt/finassist
ENV PATH=/opt/finassist/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    PORT=8000 \
    DATA_DIR=/var/lib/finassist/data \
    LOG_FORMAT=json
USER finassist
WORKDIR /var/lib/finassist
RUN mkdir -m 0700 data
VOLUME /var/lib/finassist/data
EXPOSE 8000
# Drains. Whoever stops the container should wait longer than DRAIN_SECONDS before killing it.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/health/ready', timeout=2)"]
CMD ["finassist", "serve"]
