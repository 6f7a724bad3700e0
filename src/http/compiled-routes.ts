import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { AdminRoute, ApiRoute, Route } from './route.ts';
import { makeAjv } from './validation/rules.ts';
import type { RuleSettings } from './validation/rules.ts';
import type { RequestBody } from './validation/request-body.ts';

/**
 * Routes with their compiled schemas. To compile all of them takes a third of the start time, so a route is compiled at its first request;
 * soon after the server listens the rest are compiled, one per turn of the event loop. [performance §1, Start]
 */
export class CompiledRoutes {
  readonly #settings: RuleSettings;
  readonly #answers = new Map<ApiRoute | AdminRoute, unknown>();
  #ajv: Ajv2020 | null = null;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  /** Throws when the route's schema does not compile. */
  answerOf<R extends ApiRoute | AdminRoute>(route: R): ReturnType<R['prepare']>;
  answerOf(route: ApiRoute | AdminRoute): unknown {
    const known = this.#answers.get(route);
    if (known !== undefined) return known;
    this.#ajv ??= makeAjv(this.#settings);
    const answer = route.prepare(this.#ajv);
    this.#answers.set(route, answer);
    return answer;
  }

  /** The value as a route with this body would take it. Throws Fault 422. */
  parse<B>(body: RequestBody<B>, value: unknown): B {
    this.#ajv ??= makeAjv(this.#settings);
    return body.compile(this.#ajv)(value);
  }

  /** Compiles the routes in this order, one per turn of the event loop. */
  prepareInTurn(routes: readonly Route[]): void {
    const [first, ...rest] = routes;
    if (first === undefined) return;
    if (first.audience !== 'open') this.answerOf(first);
    setImmediate(() => this.prepareInTurn(rest));
  }
}
