import type { IncomingMessage } from 'node:http';
import { fault } from '../../kernel/faults.ts';
import type { RouteContext } from '../options.ts';
import { makeGuesser } from './api-key.ts';
import { isSameSecret } from './same-secret.ts';

/**
 * Throws Fault 401 unless the request carries `Authorization: Bearer <ADMIN_TOKEN>`, and Fault 429 for a wrong token from an address that
 * keeps failing. [operator-interface §3]
 */
export async function requireAdmin(request: IncomingMessage, context: RouteContext): Promise<void> {
  const given = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(request.headers.authorization ?? '')?.[1];
  if (given === undefined) throw fault('not_admin');
  const isAdmin = await context.guessLimit.check(makeGuesser(request, context), given, async () =>
    isSameSecret(given, context.adminToken) ? true : null,
  );
  if (isAdmin === null) throw fault('not_admin');
}
