/** Caches sendable templates for a second. */
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ReadThroughCache } from '../../kernel/read-through-cache.ts';

/** A few kB each. */
const max = 2_000;
const ttlMs = 1_000;

export class TemplateCache extends ReadThroughCache<Template> {
  constructor(clock: Clock) {
    super({ max, ttlMs, clock });
  }
}

/** The part of a template that identifies it in a send. */
type Version = Pick<Template, 'name' | 'language'>;

/** Contains the name's length, because a name may contain any character. */
export function makeKey(
  { accountId, businessAccountId }: TemplateOwner,
  { name, language }: Version,
): string {
  return `${accountId} ${businessAccountId} ${name.length} ${name} ${language}`;
}

/** Evicts a changed or deleted template from this node's cache. On other nodes the entry expires within a second. */
export function forgetForSend(
  { templateCache }: { templateCache: TemplateCache },
  owner: TemplateOwner,
  version: Version,
): void {
  templateCache.forget(makeKey(owner, version));
}
