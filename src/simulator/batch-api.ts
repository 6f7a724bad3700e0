import type { Request, Router } from 'express';
import { request } from 'undici';
import { asBag, asFlag, isBag, asList, asText, type Bag } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { badParameter } from './graph-error.ts';
import type { GraphRoute } from './graph-route.ts';
import type { World } from './world.ts';

const most = 50;

type BatchAnswer = {
  readonly code: number;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
};

/** `POST /` with `batch=[…]`: several calls in one, answered in their order [upstream protocol 9.1]. */
export function addBatchRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.post(
    '/',
    graph((call, req) => runBatch(world, call, req)),
  );
}

async function runBatch(world: World, call: Call, req: Request): Promise<(BatchAnswer | null)[]> {
  authenticate(world, call);
  const items = asList(call.bag.batch)?.map(asBag);
  if (!items?.every(isBag)) throw badParameter('param batch must be an array.');
  if (items.length > most)
    throw badParameter(`Too many requests in batch message. Maximum batch size is ${most}`);
  const withHeaders = asFlag(call.bag.include_headers) !== false;
  const answers: (BatchAnswer | null)[] = [];
  // One after the other: two sends to one person in a batch must happen in their order.
  for (const item of items) {
    const answer = await answerOf(call, item, hereOf(req));
    answers.push(answer && !withHeaders ? { code: answer.code, body: answer.body } : answer);
  }
  return answers;
}

/**
 * The simulator's own address, as this connection reached it: each part of a batch is a call of its own, to which faults apply as to any
 * call.
 */
function hereOf({ socket: { localAddress = '127.0.0.1', localPort } }: Request): string {
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

// [upstream protocol 9.1] The answer of a part that got no response is null.
async function answerOf(call: Call, item: Bag, here: string): Promise<BatchAnswer | null> {
  const { url, headers } = addressOf(call, item, here);
  const body = isBag(item.body) ? JSON.stringify(item.body) : asText(item.body);
  const type = isBag(item.body) ? 'application/json' : 'application/x-www-form-urlencoded';
  const sent = { ...(body === undefined ? {} : { 'content-type': type }), ...headers, ...headersOf(item) };
  try {
    const method = (asText(item.method) ?? 'GET').toUpperCase();
    const answer = await request(url, { method, headers: sent, body: body ?? null });
    return {
      code: answer.statusCode,
      headers: Object.entries(answer.headers).map(([name, value]) => ({ name, value: String(value) })),
      body: await answer.body.text(),
    };
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

/** URL and authorization of a part; a part without a token of its own uses the batch's token and proof. */
function addressOf(call: Call, item: Bag, here: string): { url: URL; headers: Record<string, string> } {
  const path = (asText(item.relative_url) ?? '').replace(/^\/+/, '');
  const url = new URL(`${here}/${/^v\d+\.\d+(?:[/?]|$)/.test(path) ? '' : `${call.version}/`}${path}`);
  const form = new URLSearchParams(asText(item.body) ?? '');
  const hasOwn =
    url.searchParams.has('access_token') ||
    form.has('access_token') ||
    asBag(item.body)?.access_token !== undefined;
  if (hasOwn) return { url, headers: {} };
  for (const name of ['appsecret_proof', 'appsecret_time']) {
    const value = asText(call.bag[name]);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const token = asText(call.bag.access_token) ?? call.bearer ?? '';
  return { url, headers: { authorization: `Bearer ${token}` } };
}

function headersOf(item: Bag): Record<string, string> {
  const named = (asList(item.headers) ?? []).map(asBag).filter(isBag);
  return Object.fromEntries(
    named.map(({ name, value }) => [(asText(name) ?? '').toLowerCase(), asText(value) ?? '']),
  );
}
