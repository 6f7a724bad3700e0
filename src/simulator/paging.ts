import { asNumber, asText } from './bag.ts';
import type { Call } from './call.ts';
import type { World } from './world.ts';

const usualLimit = 25;

/**
 * One page of a collection, selected by `limit`, `after` or `before`; `next` and `previous` only if there are more items [upstream protocol
 * 1.1]. The links repeat every parameter, the token and the version of the call, because clients follow them unchanged. `largest` bounds
 * the page.
 */
export function writePaging(
  world: World,
  call: Call,
  items: readonly unknown[],
  largest = Infinity,
): Record<string, unknown> {
  const limit = Math.max(1, Math.min(asNumber(call.bag.limit) ?? usualLimit, largest));
  const start = startOf(call, limit);
  const shown = items.slice(start, start + limit);
  if (shown.length === 0) return { data: [] };
  const cursors = { before: writeCursor(start), after: writeCursor(start + shown.length) };
  const link = (place: Record<string, string>): string => linkOf(world, call, limit, place);
  return {
    data: shown,
    paging: {
      cursors,
      ...(start + shown.length < items.length ? { next: link({ after: cursors.after }) } : {}),
      ...(start > 0 ? { previous: link({ before: cursors.before }) } : {}),
    },
  };
}

function startOf({ bag }: Call, limit: number): number {
  const before = asText(bag.before);
  return before === undefined ? parseCursor(asText(bag.after)) : Math.max(0, parseCursor(before) - limit);
}

function linkOf(
  world: World,
  { bag, bearer, path, version }: Call,
  limit: number,
  place: Record<string, string>,
): string {
  const { after: _after, before: _before, ...asked } = bag;
  const token = asText(bag.access_token) ?? bearer;
  const members = { ...asked, ...(token === undefined ? {} : { access_token: token }), limit, ...place };
  const texts = Object.entries(members).map(([name, value]): [string, string] => [name, asText(value) ?? '']);
  return `${world.publicUrl}/${version}${path}?${new URLSearchParams(texts).toString()}`;
}

function writeCursor(place: number): string {
  return Buffer.from(String(place).padStart(6, '0'), 'latin1').toString('base64url');
}

function parseCursor(cursor: string | undefined): number {
  return cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64url').toString('latin1')) || 0;
}
