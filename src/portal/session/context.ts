/** What a page knows of who asks for it. */
import type { RouteContext } from '../../http/options.ts';
import type { Request, Response } from '../../http/route.ts';
import type { Caller, Visitor } from '../../use-cases/index.ts';

export interface PageContext extends RouteContext {
  request: Request;
  response: Response;
  query: URLSearchParams;
  /** For this browser's forms. */
  csrf: string;
  /** See `readForm`. */
  stillMay?: () => Promise<void>;
}

export interface SignedInContext extends PageContext {
  visitor: Visitor;
  /** For looking. */
  caller: Caller;
  /** For doing. Throws Fault 400 until the address is confirmed. [operator-interface §4, sign-up] */
  actor: () => Caller;
}
