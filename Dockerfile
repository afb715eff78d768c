# syntax=docker/dockerfile:1
# The `dittoinfra` command with everything it runs: the pulumi CLI and the Kubernetes provider's plugin included,
# so that nothing is downloaded in the cluster.
#
# Bases have a version and no digest: whoever builds gets the base's own security fixes, on every architecture.
# Where a build must repeat to the byte, `docker buildx imagetools inspect BASE` tells the digest to add.

# The CLI that the tests run with (dittoinfra/engine/versions.py).
FROM pulumi/pulumi-base:3.259.0 AS pulumi

FROM pulumi AS plugin
ENV PULUMI_HOME=/opt/pulumi
# The version of the provider's SDK in requirements.txt: the engine wants the plugin of the same one.
RUN pulumi plugin install resource kubernetes v4.34.2

FROM python:3.11-slim-bookworm AS build
WORKDIR /source
RUN python -m venv /opt/dittoinfra
ENV PATH=/opt/dittoinfra/bin:$PATH \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
COPY requirements.txt ./
RUN pip install --require-hashes -r requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY dittoinfra dittoinfra
COPY policy policy
RUN pip install --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm
LABEL org.opencontainers.image.title="dittoinfra" \
      org.opencontainers.image.description="Kubernetes Services that follow the adapters a DittoFS server really serves." \
      org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --uid 65532 --user-group --no-create-home --home-dir /tmp dittoinfra
COPY --from=pulumi /pulumi/bin/pulumi /pulumi/bin/pulumi-language-python /pulumi/bin/pulumi-language-python-exec /usr/local/bin/
COPY --from=plugin --chown=65532:65532 /opt/pulumi /opt/pulumi
COPY --from=build /opt/dittoinfra /opt/dittoinfra
WORKDIR /project
# The stacks are mounted at /project/stacks: they are yours, and not the image's.
COPY Pulumi.yaml __main__.py ./
ENV PATH=/opt/dittoinfra/bin:$PATH \
    HOME=/tmp \
    PULUMI_HOME=/opt/pulumi \
    PULUMI_SKIP_UPDATE_CHECK=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 65532:65532
EXPOSE 9402
# For `watch`; what runs to its end has no need of it. Kubernetes has probes of its own.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9402/healthz', timeout=5)"]
ENTRYPOINT ["dittoinfra"]
CMD ["watch", "--all"]
