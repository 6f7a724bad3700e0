import type { UseCaseDeps } from './deps.ts';
import { onBehalfOf } from './on-behalf.ts';

/** What an area can do: functions whose first parameter is what they need of the world. */
export type Area = Record<string, (deps: UseCaseDeps, ...asked: never[]) => unknown>;

/** An area as a door sees it: without that parameter. */
export type Bound<A extends Area> = {
  [Name in keyof A]: A[Name] extends (deps: never, ...asked: infer Asked) => infer Answer
    ? (...asked: Asked) => Answer
    : never;
};

export function bind<A extends Area>(area: A, deps: UseCaseDeps): Bound<A>;
export function bind(area: Area, deps: UseCaseDeps): Record<string, unknown> {
  return Object.fromEntries(Object.entries(area).map(([name, does]) => [name, does.bind(null, deps)]));
}

/** The same use-case under the id of the request: what it calls upstream and logs says who asked. */
export function underRequest<By extends { requestId?: string }, Asked extends unknown[], Answer>(
  useCase: (deps: UseCaseDeps, by: By, ...asked: Asked) => Answer,
): (deps: UseCaseDeps, by: By, ...asked: Asked) => Answer {
  return (deps, by, ...asked) => useCase(onBehalfOf(deps, by.requestId), by, ...asked);
}
