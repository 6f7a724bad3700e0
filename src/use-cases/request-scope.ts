import type { UseCaseDeps } from './deps.ts';

/** The same dependencies for one request: its upstream calls and log lines carry its id. [operator-interface §4: X-Request-Id] */
export function inRequestScope<D extends Pick<UseCaseDeps, 'log' | 'upstreamUnder'>>(
  deps: D,
  requestId: string | undefined,
): D {
  if (requestId === undefined) return deps;
  const log = deps.log.child({ request_id: requestId });
  return { ...deps, ...deps.upstreamUnder(requestId), log, requestId };
}

/** The same use-case with its upstream calls and log lines under the id of the request. */
export function requestScoped<By extends { requestId?: string }, Asked extends unknown[], Answer>(
  useCase: (deps: UseCaseDeps, by: By, ...asked: Asked) => Answer,
): (deps: UseCaseDeps, by: By, ...asked: Asked) => Answer {
  return (deps, by, ...asked) => useCase(inRequestScope(deps, by.requestId), by, ...asked);
}
