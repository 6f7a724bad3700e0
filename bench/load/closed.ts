/** Closed loop: each connection sends its next request when the previous one is answered. For CPU and capacity. */
import autocannon from 'autocannon';
import type { Carried } from '../measure/rounds.ts';
import { latencyOf } from '../measure/stats.ts';

interface ClosedLoad {
  url: string;
  connections: number;
  /** The load ends after `seconds` or `most` requests, whichever comes first. */
  seconds: number;
  most: number;
  headers: Record<string, string>;
  request: () => Request;
}

export interface Request {
  body: string;
  headers: Record<string, string>;
}

/**
 * autocannon checks the clock once a second and rounds latencies to whole ms. So the times of the first request and of the last answer, and
 * the latency of each answer, are measured here.
 */
export async function closedLoop(load: ClosedLoad): Promise<Carried> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  let lastAt = startedAt;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(optionsOf(load), (error, done) => (error ? reject(error) : resolve(done)));
    run.on('response', (_, status, __, ms) => {
      if (status < 200 || status > 299) return;
      lastAt = performance.now();
      latencies.push(ms);
    });
  });
  const { count, p50Ms, p99Ms } = latencyOf(latencies);
  const perSecond = count / Math.max(0.001, (lastAt - startedAt) / 1_000);
  return { units: count, failed: result.non2xx + result.errors + result.timeouts, perSecond, p50Ms, p99Ms };
}

function optionsOf({
  url,
  connections,
  seconds,
  most,
  headers,
  request: next,
}: ClosedLoad): autocannon.Options {
  return {
    url,
    connections,
    duration: seconds,
    maxOverallRequests: Math.max(connections, most),
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    requests: [{ setupRequest: (request) => ({ ...request, ...perRequest(headers, next()) }) }],
  };
}

function perRequest(common: Record<string, string>, { body, headers }: Request): Request {
  return { body, headers: { 'content-type': 'application/json', ...common, ...headers } };
}
