import type { IncomingMessage } from 'node:http';
import { fault } from '../../kernel/faults.ts';
import { isSameSecret } from './same-secret.ts';

/** Throws Fault 401 unless the request carries `Authorization: Bearer <ADMIN_TOKEN>`. [operator-interface §3] */
export function requireAdmin(request: IncomingMessage, adminToken: string): void {
  const given = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(request.headers.authorization ?? '')?.[1];
  if (given === undefined || !isSameSecret(given, adminToken)) throw fault('not_admin');
}
