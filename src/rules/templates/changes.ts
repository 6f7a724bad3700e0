/** What upstream changed of a template, as the account is told. [spec: Additions, What changed] */
import { idFrom } from '../../kernel/ids.ts';
import type { Change } from '../events/changes.ts';
import type { Template } from './template.ts';

/** What of a template may change. */
export const templateParts = ['status', 'category', 'quality'] as const;

/** Upstream's word for no score yet. */
const notScored = 'UNKNOWN';

type WatchedTemplate = Pick<Template, 'id' | (typeof templateParts)[number]>;

/** `version` of the record after the write; `reason`: upstream's, of a status; `at` in ms. */
export function templateChanges(
  before: WatchedTemplate,
  after: Partial<WatchedTemplate>,
  { version, at, reason }: { version: number; at: number; reason: string | null },
): Change[] {
  return templateParts.flatMap((changed) => {
    const was = before[changed];
    const is = after[changed];
    if (is === undefined || is === was || (was === null && is === notScored)) return [];
    const id = idFrom('change', before.id, String(version), changed, String(at));
    return [{ id, at, changed, before: was, after: is, reason: changed === 'status' ? reason : null }];
  });
}
