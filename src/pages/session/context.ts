/** What a page knows about its request. */
import type { RouteContext } from '../../http/options.ts';
import type { Request, Response } from '../../http/route.ts';
import type { Caller, Actor } from '../../rules/caller.ts';
import type { Visitor } from '../../rules/person.ts';

export interface PageContext<W = unknown> extends RouteContext<W> {
  request: Request;
  response: Response;
  query: URLSearchParams;
  /** Who acts, for the audit log. */
  by: Actor;
  /** Token for forms of this browser. */
  csrf: string;
  /** See `readForm`. */
  stillMay?: () => Promise<void>;
}

/** Of a page for everybody. */
export interface PublicContext<W = unknown> extends RouteContext<W> {
  request: Request;
  response: Response;
  /** null: nobody is signed in. */
  signedIn: SignedInContext<W> | null;
}

export interface SignedInContext<W = unknown> extends PageContext<W> {
  visitor: Visitor;
  /** The caller for reading. */
  caller: Caller;
  /** The caller for changes. Throws Fault 400 until the e-mail address is confirmed. [operator-interface §4, sign-up] */
  actor: () => Caller;
}
