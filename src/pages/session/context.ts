/** What a page knows about its request. */
import type { RouteContext } from '../../http/options.ts';
import type { Request, Response } from '../../http/route.ts';
import type { Caller, Visitor } from '../../features/index.ts';

export interface PageContext extends RouteContext {
  request: Request;
  response: Response;
  query: URLSearchParams;
  /** Token for forms of this browser. */
  csrf: string;
  /** See `readForm`. */
  stillMay?: () => Promise<void>;
}

export interface SignedInContext extends PageContext {
  visitor: Visitor;
  /** The caller for reading. */
  caller: Caller;
  /** The caller for changes. Throws Fault 400 until the e-mail address is confirmed. [operator-interface §4, sign-up] */
  actor: () => Caller;
}
