import type { UseCaseDeps } from './deps.ts';

/** The same dependencies for one request: its upstream calls and log lines carry its id. [operator-interface §4: X-Request-Id] */
export function onBehalfOf<D extends Pick<UseCaseDeps, 'log' | 'upstreamUnder'>>(
  deps: D,
  requestId: string | undefined,
): D {
  if (requestId === undefined) return deps;
  const log = deps.log.child({ request_id: requestId });
  return { ...deps, ...deps.upstreamUnder(requestId), log, requestId };
}
