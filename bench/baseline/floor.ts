/**
 * `floor`: node:http, undici and the product's own durable writes (the same store, the same sealed rows, the same number of commits),
 * without Express, features, actors or any rule of the specification. The service's cost above the floor is the cost of those.
 * [performance §3]
 */
import { makeFloorHook } from './floor-hook.ts';
import { makeFloorIngest } from './floor-ingest.ts';
import { makeFloorSend } from './floor-send.ts';
import { openFloorWorld } from './floor-world.ts';
import { serve } from './serve.ts';

const world = await openFloorWorld((channel) => channel);
const send = makeFloorSend(world);
const ingest = makeFloorIngest(world);
const hook = makeFloorHook(world);

serve(
  (request, body) => {
    if (request.url === '/send') return send(request, body);
    return request.url === '/hook' ? hook(request, body) : ingest(request, body);
  },
  () => world.close(),
);
