import type { UseCaseDeps } from './deps.ts';

/** The use-cases of an area: functions whose first parameter is their dependencies. */
export type Area = Record<string, (deps: UseCaseDeps, ...asked: never[]) => unknown>;

/** The same use-cases without that parameter, as `src/http` calls them. */
export type Injected<A extends Area> = {
  [Name in keyof A]: A[Name] extends (deps: never, ...asked: infer Asked) => infer Answer
    ? (...asked: Asked) => Answer
    : never;
};

export function injectDeps<A extends Area>(area: A, deps: UseCaseDeps): Injected<A>;
export function injectDeps(area: Area, deps: UseCaseDeps): Record<string, unknown> {
  return Object.fromEntries(Object.entries(area).map(([name, does]) => [name, does.bind(null, deps)]));
}
