import type { UseCaseDeps } from './deps.ts';
import { onBehalfOf } from './on-behalf.ts';

/** The use-cases of an area: functions whose first parameter is their dependencies. */
export type Area = Record<string, (deps: UseCaseDeps, ...asked: never[]) => unknown>;

/** The same use-cases without that parameter, as `src/http` calls them. */
export type Bound<A extends Area> = {
  [Name in keyof A]: A[Name] extends (deps: never, ...asked: infer Asked) => infer Answer
    ? (...asked: Asked) => Answer
    : never;
};

export function bind<A extends Area>(area: A, deps: UseCaseDeps): Bound<A>;
export function bind(area: Area, deps: UseCaseDeps): Record<string, unknown> {
  return Object.fromEntries(Object.entries(area).map(([name, does]) => [name, does.bind(null, deps)]));
}

/** The same use-case with its upstream calls and log lines under the id of the request. */
export function underRequest<By extends { requestId?: string }, Asked extends unknown[], Answer>(
  useCase: (deps: UseCaseDeps, by: By, ...asked: Asked) => Answer,
): (deps: UseCaseDeps, by: By, ...asked: Asked) => Answer {
  return (deps, by, ...asked) => useCase(onBehalfOf(deps, by.requestId), by, ...asked);
}
