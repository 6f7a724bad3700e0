/** Closed loop: each connection sends the next request when the one before is answered. For CPU and capacity. */
import autocannon from 'autocannon';
import type { Carried } from '../measure/rounds.ts';

export interface ClosedLoad {
  url: string;
  connections: number;
  /** The load ends at whichever comes first. */
  seconds: number;
  most: number;
  headers: Record<string, string>;
  /** The same body for the whole life of connection `n`, or a new one for every request. */
  body:
    | { each: 'connection'; of: (n: number) => string }
    | { each: 'request'; of: () => { body: string; headers: Record<string, string> } };
}

/** Latencies of autocannon are whole ms: for what matters within one ms there is the open loop. */
export async function closedLoop(load: ClosedLoad): Promise<Carried> {
  const { url, connections, seconds, most, headers, body } = load;
  let client = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    maxOverallRequests: most,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body.each === 'connection'
      ? { setupClient: (one) => one.setBody(body.of((client += 1))) }
      : { requests: [{ setupRequest: (request) => ({ ...request, ...perRequest(headers, body.of()) }) }] }),
  });
  const units = result['2xx'];
  return {
    units,
    failed: result.non2xx + result.errors + result.timeouts,
    perSecond: units / Math.max(0.001, (result.finish.getTime() - result.start.getTime()) / 1_000),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}

function perRequest(
  common: Record<string, string>,
  { body, headers }: { body: string; headers: Record<string, string> },
) {
  return { body, headers: { 'content-type': 'application/json', ...common, ...headers } };
}
