import { createServer, type Server } from 'node:http';
import { buildApp } from './graph-api.ts';
import { answerError } from './call.ts';
import { isUnknownVersion, noteServed, withoutVersion } from './graph-version.ts';
import { refusal } from './platform-refusals.ts';
import { seedBusinesses } from './seed.ts';
import { isSendPath, takeSend } from './send-api.ts';
import type { Profile, Settings } from './settings.ts';
import { World } from './world.ts';

/** All options have defaults, which the README lists. `port` 0 selects a free one. */
export type SimulatorOptions = {
  readonly port?: number;
  readonly host?: string;
  readonly publicUrl?: string;
  readonly appId?: string;
  readonly appSecret?: string;
  readonly verifyToken?: string;
  readonly callbackUrl?: string;
  /** What the platform refuses (`strict`), or what tests about something else need (`lax`); `settings` override it. */
  readonly profile?: Profile;
  readonly settings?: Partial<Settings>;
  readonly ledgerLimit?: number;
};

type Simulator = { readonly url: string; readonly port: number; readonly close: () => Promise<void> };

/**
 * Starts the simulator in this process; resolves when it listens. `close` drops open connections and all pending work. Rejects when the
 * port is taken.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const host = options.host ?? '127.0.0.1';
  const app = {
    id: options.appId ?? '700100200300400',
    secret: options.appSecret ?? 'example-app-secret-0001',
    verifyToken: options.verifyToken ?? 'my-verify-token',
  };
  const callback = options.callbackUrl === undefined ? {} : { callback_url: options.callbackUrl };
  const world = new World(
    app,
    { profile: options.profile ?? 'strict', settings: { ...options.settings, ...callback } },
    options.ledgerLimit ?? 200_000,
    seedBusinesses,
  );
  const server = serve(world);
  const port = await listen(server, options.port ?? 0, host);
  const url = options.publicUrl ?? `http://${host}:${port}`;
  world.publicUrl = url;
  return { url, port, close: () => shut(world, server) };
}

function serve(world: World): Server {
  const app = buildApp(world);
  const server = createServer((req, res) => {
    const { versions } = world.settings;
    if (versions !== null) {
      if (isUnknownVersion(req, versions)) return answerError(res, refusal('unknown_version'));
      noteServed(req, versions);
    }
    if (isSendPath(req.method, req.url)) return takeSend(world, req, res);
    // Any version, or none, reaches the same API [upstream protocol 9.1]; links and headers show the requested one.
    Object.assign(req, { originalUrl: req.url });
    req.url = withoutVersion(req.url ?? '/');
    app(req, res);
  });
  // Clients keep their connections open; closing them between two bursts would look like a fault.
  server.keepAliveTimeout = 65_000;
  return server;
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function shut(world: World, server: Server): Promise<void> {
  world.stop();
  await world.webhooks.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
