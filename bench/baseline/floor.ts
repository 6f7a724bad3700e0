/**
 * `floor`: node:http, undici and the product's own durable writes (the same store, the same sealed rows, the same number of commits),
 * without Express, features, actors or any rule of the specification. The service's cost above the floor is the cost of those.
 * [performance §3]
 */
import { Pool } from 'undici';
import { newSealer } from '../../test/support/sealing.ts';
import { makeFloorHook } from './floor-hook.ts';
import { makeFloorIngest } from './floor-ingest.ts';
import { makeFloorSend } from './floor-send.ts';
import { openFloorStore } from './floor-store.ts';
import type { FloorWorld } from './floor-world.ts';
import { serve, setting } from './serve.ts';

const channelId = setting('FLOOR_CHANNEL_ID');
const store = await openFloorStore(channelId);
const pool = (url: string): Pool =>
  new Pool(new URL(url).origin, { connections: 256, keepAliveTimeout: 30_000 });

const world: FloorWorld = {
  channelId,
  epoch: store.epoch,
  store: store.channelState,
  sealer: newSealer(),
  upstream: pool(setting('UPSTREAM_URL')),
  receiver: pool(setting('RECEIVER_URL')),
  receiverPath: new URL(setting('RECEIVER_URL')).pathname,
  upstreamPath: setting('FLOOR_UPSTREAM_PATH'),
  appSecret: setting('UPSTREAM_APP_SECRET'),
  webhookSecret: 'example-webhook-secret',
  apiKeyHash: setting('FLOOR_API_KEY_HASH'),
};
const send = makeFloorSend(world);
const ingest = makeFloorIngest(world);
const hook = makeFloorHook(world);

serve(
  (request, body) => {
    if (request.url === '/send') return send(request, body);
    return request.url === '/hook' ? hook(request, body) : ingest(request, body);
  },
  async () => {
    await Promise.all([world.upstream.destroy(), world.receiver.destroy()]);
    await store.close();
  },
);
