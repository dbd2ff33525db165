# syntax=docker/dockerfile:1

# The service on Node, as docs/self-hosting.md runs it. `npm run container` executes these very steps without Docker
# (scripts/container.ts), so it has to know each instruction in this file. Node’s version is that of package.json.
FROM node:24.21.0-slim AS build
WORKDIR /build
# The packages first: they change less often than the code.
COPY package.json package-lock.json ./
COPY packages/fewerbytes/package.json packages/fewerbytes/
COPY packages/action/package.json packages/action/
COPY scripts/install.mjs scripts/
RUN node scripts/install.mjs
COPY . .
# Also in a clone that was made under a strict umask, its user has to read it.
RUN node scripts/run.mjs scripts/build-node.ts && chmod -R a+rX dist/node
RUN mkdir volumes && mkdir -m 700 volumes/data

FROM node:24.21.0-slim
# SQLite’s temporary files lie where the container may write.
ENV NODE_ENV=production HOST=0.0.0.0 STATE_DIR=/data SQLITE_TMPDIR=/data
WORKDIR /app
COPY --from=build /build/dist/node ./
COPY --from=build --chown=1000:1000 /build/volumes/ /
USER 1000:1000
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8787}/v1/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server.js"]
