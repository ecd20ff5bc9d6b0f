# Pin the base by digest with --build-arg BASE=node:24-bookworm-slim@sha256:…
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src ./src
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="solar-exporter" \
      org.opencontainers.image.description="Prometheus exporter for a solar monitoring cloud" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production SOLAR_REVISION="${REVISION}"
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY LICENSE ./
# A number, so that an orchestrator can see that it is not root. Nothing is ever written below /app.
USER 65532:65532
EXPOSE 9877
STOPSIGNAL SIGTERM
# The image has no curl; Node.js asks itself, on the port that the exporter was told.
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD ["node", "-e", "\
const port = (process.env.SOLAR_WEB_LISTEN_ADDRESS || ':9877').split(':').pop(); \
fetch(`http://127.0.0.1:${port}/-/healthy`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["serve"]
