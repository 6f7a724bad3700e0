/** Where the service of this machine is, and the token of its operator. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../../../config/env-file.ts';
import type { ServerAddress } from './command-line.ts';

/** URL and token from flags, else from the configuration of the service on this machine. Throws an Error that says what to provide. */
export function resolveServer({ url, token }: ServerAddress): Required<ServerAddress> {
  const { env } = readEnvironment();
  const known = env['ADMIN_TOKEN']?.trim() || undefined;
  return {
    url: (url ?? findListener(env)).replace(/\/+$/, ''),
    token: token ?? known ?? generatedToken(env['DATA_DIR']?.trim() || './data'),
  };
}

function findListener(env: Record<string, string | undefined>): string {
  const host = env['ADMIN_HOST']?.trim() || 'localhost';
  const port = env['ADMIN_PORT']?.trim() || env['PORT']?.trim() || '3000';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The token that the service generated at its first start in this folder. */
function generatedToken(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  } catch {
    throw new Error(
      `no admin token found: set ADMIN_TOKEN, give --token, or set DATA_DIR to the DATA_DIR of the service (${dataDir} has no token)`,
    );
  }
}
