import type { IncomingMessage } from 'node:http';
import type { Actor } from '../../use-cases/index.ts';
import type { HttpOptions } from '../options.ts';
import { clientAddress } from './client-address.ts';
import { readRequestId } from './request-id.ts';

export type Acting = Pick<Actor, 'kind' | 'name'>;

/** The same context with use-cases that act on behalf of `who`, so that the audit log names the actor. */
export function actingFor<C extends Pick<HttpOptions, 'useCases' | 'trustProxyHops'>>(
  request: IncomingMessage,
  context: C,
  who: Acting,
): C {
  const address = clientAddress(request, context.trustProxyHops);
  const useCases = context.useCases.actedBy({ ...who, address, requestId: readRequestId(request) });
  return { ...context, useCases };
}
