# Build with TypeScript, keep production dependencies, run as nobody special.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY config config
COPY actors actors
COPY src src
COPY docs docs
ARG TRUNKLINE_COMMIT=
RUN npm run build && npm prune --omit=dev

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
# The user `node`, by number: Kubernetes cannot tell that a name is not root's.
USER 1000
VOLUME /data
EXPOSE 3000
# Not by `fetch`, which takes twice the processor: a check each 10 s would cost more than half of what an idle node does.
HEALTHCHECK --interval=10s --timeout=3s CMD node -e "require('node:http').get('http://127.0.0.1:'+(process.env.PORT||3000)+'/healthz',r=>process.exit(r.statusCode===200?0:1)).on('error',()=>process.exit(1))"
CMD ["node", "dist/src/main.js"]
