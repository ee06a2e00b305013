# syntax=docker/dockerfile:1

# Builds on the machine's own system for any other: Bun has the runtime of each of them in the npm registry.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
WORKDIR /notes
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY scripts ./scripts
COPY src ./src
ARG TARGETARCH
ARG NOTES_COMMIT
RUN npm run build -- --target "bun-linux-$(echo "$TARGETARCH" | sed s/amd64/x64/)" && mkdir -p data/backups

# glibc and the authorities of TLS, and nothing to log in to.
FROM gcr.io/distroless/base-nossl-debian12:nonroot
COPY --from=build /notes/dist/notes /notes
COPY --from=build --chown=nonroot:nonroot /notes/data /data
COPY LICENSE /LICENSE
ENV HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/notes.db BACKUP_DIR=/data/backups
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# It reads HOST and PORT, as the service does: set another port as PORT, not as a flag.
HEALTHCHECK --interval=10s --timeout=5s --start-period=40s --start-interval=1s \
  CMD ["/notes", "doctor", "--ready"]
ENTRYPOINT ["/notes"]
CMD ["serve"]
