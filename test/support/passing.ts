/** A proxy between the service and the simulator that records the calls to upstream and their request ids. */
import http from 'node:http';
import { freePort, listening } from './ports.ts';
import { bootService, bootSimulator } from './service.ts';
import { contractWorld } from './upstream-app.ts';
import { World } from './world.ts';
import type { Channel } from './world.ts';

export interface RecordedCall {
  /** Method and path, without the version; each id is `*`. */
  call: string;
  id: string | undefined;
}

const shapeOf = (method: string, url: string): string =>
  `${method} ${url
    .replace(/^\/v[0-9.]+/, '')
    .replace(/\?.*$/, '')
    .replaceAll(/[0-9]{6,}/g, '*')}`;

export interface UpstreamRecorder {
  url: string;
  /** The request ids of the sends, in order. */
  ids: (string | undefined)[];
  calls: RecordedCall[];
  close(): void;
}

/** A world with a chatapp channel, whose calls to upstream (downloads of files too) pass the recording proxy `upstream`. */
export async function openRecordedWorld(): Promise<{
  world: World;
  channel: Channel;
  upstream: UpstreamRecorder;
}> {
  const port = await freePort();
  const upstream = await passing(`http://127.0.0.1:${port}`);
  const simulator = await bootSimulator({ ...contractWorld, port, publicUrl: upstream.url });
  const service = await bootService(upstream.url);
  const world = await World.of(service, simulator);
  return { world, channel: await world.connected('chatapp'), upstream };
}

/** Starts the proxy, which forwards every call. */
async function passing(to: string): Promise<UpstreamRecorder> {
  const ids: (string | undefined)[] = [];
  const calls: RecordedCall[] = [];
  const server = http.createServer((request, response) => {
    const { method = '', headers, url = '' } = request;
    const id = headers['x-request-id'];
    if (!/^\/(?:control|v[0-9.]+\/dialog)/.test(url))
      calls.push({ call: shapeOf(method, url), id: typeof id === 'string' ? id : undefined });
    if (method === 'POST' && url.includes('/messages')) ids.push(String(headers['x-request-id']));
    const onward = http.request(new URL(url, to), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    ids,
    calls,
    close: () => server.closeAllConnections() ?? server.close(),
  };
}
