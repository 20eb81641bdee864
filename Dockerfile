# A server, from a wheel: no compilers, no sources, no root.
FROM python:3.13 AS built
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels "/source[cluster]" \
    && pip install --no-index --find-links /wheels "treewhile[cluster]" \
    && NUMBA_CACHE_DIR=/kernels python -m treewhile.incremental.building \
    && mkdir /built \
    && mv /kernels/prebuilt-* /built

FROM python:3.13-slim
COPY --from=built /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels "treewhile[cluster]" \
    && rm -r /wheels \
    && useradd --system treewhile \
    && install --directory --owner treewhile /var/lib/treewhile /var/cache/treewhile
# Built for the processor of this machine; on another kind a container begins slowly, and compiles beside its work.
COPY --from=built --chown=treewhile /built /var/cache/treewhile
USER treewhile
ENV NUMBA_CACHE_DIR=/var/cache/treewhile
VOLUME /var/lib/treewhile
EXPOSE 8080
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/healthz')"]
ENTRYPOINT ["treewhile", "serve", "--host", "0.0.0.0", "--sessions", "/var/lib/treewhile"]
