# A server, from a wheel: no compilers, no sources, no root.
FROM python:3.13-slim AS wheel
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[cluster]" \
    && rm -r /wheels \
    && useradd --system treewhile \
    && install --directory --owner treewhile /var/lib/treewhile /var/cache/treewhile
USER treewhile
# Kernels are compiled here, for the processor of this machine; on another kind, when a container starts.
ENV NUMBA_CACHE_DIR=/var/cache/treewhile
RUN python -c "from treewhile.incremental import warm_up; warm_up()"
VOLUME /var/lib/treewhile
EXPOSE 8080
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/healthz')"]
ENTRYPOINT ["treewhile", "serve", "--host", "0.0.0.0", "--sessions", "/var/lib/treewhile"]
