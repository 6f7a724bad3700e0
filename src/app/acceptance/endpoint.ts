/** A further endpoint of the channel: what the person writes arrives there too, signed with its own secret. */
import { createHmac } from 'node:crypto';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { textIn } from '../../kernel/json.ts';
import { compare, skip, wordOf, type Run } from './run.ts';

const steps = ['add an endpoint', 'an event at the endpoint', 'remove the endpoint'] as const;
const [added, came, removed] = steps;
const pollMs = 25;

interface Arrival {
  body: Buffer;
  signature: string;
}

interface Endpoint {
  path: string;
  secret: string;
  arrivals: readonly Arrival[];
}

/** While `during` runs the channel has an endpoint that leads to this machine, if the person knows a way. */
export async function withEndpoint<T>(run: Run, during: () => Promise<T>): Promise<T> {
  const arrivals: Arrival[] = [];
  const { port, close } = await listen(arrivals);
  try {
    const endpoint = await add(run, port, arrivals);
    const done = await during();
    if (endpoint !== null) await judge(run, endpoint);
    return done;
  } finally {
    close();
  }
}

async function add(run: Run, port: number, arrivals: readonly Arrival[]): Promise<Endpoint | null> {
  const url = await run.person.ask({
    name: 'endpoint',
    text: `Public https: address that leads to port ${port} of this machine (a tunnel), for a further endpoint (empty: skip):`,
    facts: { port: String(port) },
  });
  if (url === '') {
    for (const step of steps) skip(run, step);
    return null;
  }
  const path = `/api/v1/channels/${run.channelId}/endpoints`;
  const answer = await run.service.api('POST', path, { url, events: ['message.received'] });
  compare(run, added, '201', String(answer.status));
  const [id, secret] = [textIn(answer.body, 'id'), textIn(answer.body, 'secret')];
  return id === null || secret === null ? null : { path: `${path}/${id}`, secret, arrivals };
}

async function judge(run: Run, { path, secret, arrivals }: Endpoint): Promise<void> {
  const until = performance.now() + run.patienceMs;
  while (arrivals.length === 0 && performance.now() < until) await wait(pollMs);
  const [first] = arrivals;
  const seen = first === undefined ? 'nothing came' : isSigned(first, secret) ? 'signed' : 'wrongly signed';
  compare(run, came, 'signed', seen);
  compare(run, removed, '200', wordOf(await run.service.api('DELETE', path)));
}

function isSigned({ body, signature }: Arrival, secret: string): boolean {
  return signature === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Takes everything that is posted, on this machine alone. */
async function listen(arrivals: Arrival[]): Promise<{ port: number; close: () => void }> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const signature = String(request.headers['x-webhook-signature'] ?? '');
      arrivals.push({ body: Buffer.concat(chunks), signature });
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
