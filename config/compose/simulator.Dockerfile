# The stand-in for upstream, for trying things out; no image of the service has it.
FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src/kernel src/kernel
COPY src/simulator src/simulator
USER node
EXPOSE 3001
CMD ["node", "--import", "tsx", "src/simulator/main.ts"]
