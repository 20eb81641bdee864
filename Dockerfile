# A server, from a wheel: no compilers, no sources, no root.
FROM python:3.13 AS built
COPY . /source
# The wheel brings kernels for several kinds of processors.
RUN pip wheel --no-cache-dir --wheel-dir /wheels "/source[cluster]" \
    && pip install --no-index --find-links /wheels "treewhile[cluster]" \
    && python -m treewhile.incremental.building --ahead /source/oracles/prebuilt \
    && pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
COPY --from=built /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels "treewhile[cluster]" \
    && rm -r /wheels \
    && useradd --system treewhile \
    && install --directory --owner treewhile /var/lib/treewhile /var/cache/treewhile
USER treewhile
# Where a processor of another kind keeps what it compiles.
ENV NUMBA_CACHE_DIR=/var/cache/treewhile
VOLUME /var/lib/treewhile
EXPOSE 8080
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/healthz')"]
ENTRYPOINT ["treewhile", "serve", "--host", "0.0.0.0", "--sessions", "/var/lib/treewhile"]
