/**
 * `naive`: what a user would write in an afternoon: Express with its defaults, a bee-queue on Redis between the request and the work,
 * `fetch` for the calls. It is only as durable as its Redis. [performance §3]
 */
import http from 'node:http';
import Queue from 'bee-queue';
import express from 'express';
import type { Request, Response } from 'express';
import { hmacOf, isSigned, listenAndTell, setting } from './serve.ts';
import { chatappText, readAccepted, receivedEvent, statusEvent } from './wire.ts';
import type { SendBody, UpstreamPost } from './wire.ts';

const appSecret = setting('UPSTREAM_APP_SECRET');
const options = { redis: setting('NAIVE_REDIS_URL'), removeOnSuccess: true };
const sends = new Queue<SendBody>('sends', options);
const hooks = new Queue<{ event: string }>('hooks', options);
const raw = new WeakMap<object, Buffer>();

const app = express();
app.use(express.json({ verify: (request, _, body) => void raw.set(request, body) }));
app.post(
  '/send',
  (request, response) => void send(request, response).catch((error: unknown) => fail(response, error)),
);
app.post(
  '/hook',
  (request, response) => void hook(request, response).catch((error: unknown) => fail(response, error)),
);
app.post('/ingest', (request, response) => ingest(request, response));

async function send(request: Request, response: Response): Promise<void> {
  if (request.get('x-api-key') !== setting('NAIVE_API_KEY')) throw new Error('wrong key');
  const body: SendBody = request.body;
  const job = sends.createJob(body);
  job.on('succeeded', (id: string) => {
    response.json({ success: true, message_id: id, error: null, status: 'sent' });
  });
  job.on('failed', (error) => fail(response, error));
  await job.save();
}

sends.process(100, async ({ id, data }) => {
  const answer = await fetch(setting('UPSTREAM_URL') + setting('NAIVE_UPSTREAM_PATH'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer EAAexample' },
    body: chatappText(data.recipient, data.text, id),
  });
  return readAccepted(Buffer.from(await answer.arrayBuffer()));
});

async function hook(request: Request, response: Response): Promise<void> {
  requireSignature(request);
  const post: UpstreamPost = request.body;
  const { messages = [], statuses = [] } = post.entry[0]?.changes[0]?.value ?? {};
  const events = [
    ...messages.map(({ id, from, timestamp, text }) => receivedEvent(id, from, text.body, timestamp)),
    ...statuses.map(({ id, status }) => statusEvent(id, status)),
  ];
  for (const event of events) await hooks.createJob({ event: event.toString() }).save();
  response.send('EVENT_RECEIVED');
}

hooks.process(64, async ({ data }) => {
  const signature = hmacOf('example-webhook-secret', Buffer.from(data.event));
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
  const answer = await fetch(setting('RECEIVER_URL'), { method: 'POST', headers, body: data.event });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`status ${answer.status}`);
});

/** Plain Express, not durable: the other end of the scale for ingest. */
function ingest(request: Request, response: Response): void {
  requireSignature(request);
  response.send('EVENT_RECEIVED');
}

function requireSignature(request: Request): void {
  const body = raw.get(request) ?? Buffer.alloc(0);
  if (!isSigned(appSecret, body, request.get('x-hub-signature-256'))) throw new Error('wrong signature');
}

function fail(response: Response, error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  response.status(500).end();
}

await Promise.all([sends.ready(), hooks.ready()]);
listenAndTell(http.createServer(app), async () => {
  await Promise.all([sends.close(1_000), hooks.close(1_000)]);
});
