# Pin the base by digest with --build-arg BASE=node:24-bookworm-slim@sha256:…
# For linux/arm/v7 take BASE=node:22-bookworm-slim: there is no Node.js 24 for it.
ARG BASE=node:24-bookworm-slim

# Nothing of it depends on the platform, so it is built on the one that builds.
FROM --platform=${BUILDPLATFORM} ${BASE} AS build
WORKDIR /solar-exporter
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src ./src
RUN npx tsc -p tsconfig.build.json --incremental false
# Lists what is in the image, by name, version and checksum, for vulnerability scanners.
RUN npm sbom --omit=dev --sbom-format=cyclonedx --sbom-type=application > sbom.json
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BASE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="solar-exporter" \
      org.opencontainers.image.description="Prometheus exporter for a solar monitoring cloud" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.url="https://github.com/solar-exporter/solar-exporter" \
      org.opencontainers.image.source="https://github.com/solar-exporter/solar-exporter" \
      org.opencontainers.image.documentation="https://github.com/solar-exporter/solar-exporter/blob/main/README.md" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production SOLAR_REVISION="${REVISION}"
WORKDIR /app
COPY --from=build /solar-exporter/package.json ./
COPY --from=build /solar-exporter/node_modules ./node_modules
COPY --from=build /solar-exporter/dist ./dist
COPY --from=build /solar-exporter/sbom.json ./
COPY LICENSE ./
# --state.dir may point here: a volume mounted here belongs to the user below from the start.
RUN install -d -m 0700 -o 65532 -g 65532 /var/lib/solar-exporter
# A number, so that an orchestrator can see that it is not root. Nothing is written below /app.
USER 65532:65532
EXPOSE 9877
STOPSIGNAL SIGTERM
# It asks where the variables, and the configuration file that they name, say that the exporter listens. Who gives flags to
# the exporter gives them to the health check as well. After 4 s it gives up and says so, before the time-out ends it.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["node", "dist/cli.js", "health"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["serve"]
