import type { IncomingMessage } from 'node:http';

const usual = 'v25.0';
const leading = /^\/(v\d+\.\d+)(?=[/?]|$)/;

/** The version in front of the original path, before routes changed it; without one, the default. */
export function versionOf(req: IncomingMessage & { readonly originalUrl?: string }): string {
  return leading.exec(req.originalUrl ?? req.url ?? '')?.[1] ?? usual;
}

/** The path without the version in front. */
export function withoutVersion(url: string): string {
  const rest = url.replace(leading, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
