import { idFrom } from '../../../kernel/ids.ts';
import { isGone } from '../../../rules/templates/template.ts';
import type { Template, TemplateOwner } from '../../../rules/templates/template.ts';

/** Fields of a template that come from upstream. */
type Listed = Omit<Template, 'id' | 'accountId' | 'businessAccountId' | 'syncedAt' | 'createdAt'>;

/** Our id of an upstream template for one account: deterministic, the same on every node and after every sync. */
export function makeTemplateId({ accountId, businessAccountId }: TemplateOwner, upstreamId: string): string {
  return idFrom('template', accountId, businessAccountId, upstreamId);
}

/** Differences between upstream's list, requested at `at`, and `known`. Templates that upstream is deleting count as gone. */
export function diffTemplates(
  owner: TemplateOwner,
  known: readonly Template[],
  listed: readonly Listed[],
  at: number,
): { changed: Template[]; goneIds: string[] } {
  const there = new Map(
    listed.filter(({ status }) => !isGone(status)).map((each) => [each.upstreamId, each]),
  );
  const knownById = new Map(known.map((template) => [template.upstreamId, template]));
  const changed = [...there.values()].flatMap((each) => {
    const before = knownById.get(each.upstreamId);
    if (before !== undefined && isSame(before, each)) return [];
    const ours = before ?? { ...owner, id: makeTemplateId(owner, each.upstreamId), createdAt: at };
    return [{ ...ours, ...each, syncedAt: at }];
  });
  const goneIds = known.filter(({ upstreamId }) => !there.has(upstreamId)).map(({ id }) => id);
  return { changed, goneIds };
}

const plainFields = [
  'name',
  'language',
  'category',
  'status',
  'parameterFormat',
  'quality',
  'rejectedReason',
] as const satisfies (keyof Listed)[];

function isSame(known: Template, listed: Listed): boolean {
  return (
    plainFields.every((field) => known[field] === listed[field]) &&
    JSON.stringify(known.components) === JSON.stringify(listed.components)
  );
}
