/** The change of a document by a rule, as steps; and the steps as operators of an update, or as its pipeline. */
import type { Document } from 'mongodb';
import type { AnyRule } from '../journal/rule.ts';
import type { Items } from './items.ts';

type Does = 'set' | 'unset' | 'keep' | 'max' | 'min' | 'add' | 'join';

/** What is done to one member. `keep`: a member with this value keeps it; the step follows the one that sets the member. */
export interface Step {
  readonly does: Does;
  readonly member: string;
  readonly value: unknown;
}

export type More = Readonly<Record<string, unknown>>;
export type AnyItems = Pick<Items<never>, 'toMembers' | 'memberName' | 'besideFields'>;

/** `more`: members beside those of the rule; null removes a member. */
export function listSteps(kept: AnyItems, rule: AnyRule, more: More): Step[] {
  const { set = {}, keep = {}, max = {}, beside = {}, min = {}, add = {}, join = {}, entries = {} } = rule;
  const steps: Step[] = [];
  const put = (does: Does, members: More): void => {
    for (const member in members) {
      const value = members[member];
      if (value === null && does === 'set') steps.push({ does: 'unset', member, value });
      else if (value !== undefined && value !== null) steps.push({ does, member, value });
    }
  };
  put('set', Object.assign(kept.toMembers(set), kept.besideFields(set), more, paths(kept, entries)));
  put('keep', kept.toMembers(keep));
  put('max', Object.assign(kept.toMembers(max), kept.toMembers(beside)));
  put('min', kept.toMembers(min));
  put('add', kept.toMembers(add));
  put('join', kept.toMembers(join));
  return steps;
}

function paths(kept: AnyItems, entries: NonNullable<AnyRule['entries']>): More {
  const members: Record<string, unknown> = {};
  for (const [field, map = {}] of Object.entries(entries))
    for (const [name, entry] of Object.entries(map))
      for (const [part, value] of Object.entries(entry))
        members[`${kept.memberName(field)}.${name}.${part}`] = value;
  return members;
}

const operators: Readonly<Record<Exclude<Does, 'keep'>, string>> = {
  set: '$set',
  unset: '$unset',
  max: '$max',
  min: '$min',
  add: '$inc',
  join: '$addToSet',
};

/** A pipeline only where a member depends on another value: the server needs longer for it. */
export function asUpdate(steps: readonly Step[]): Document | Document[] {
  return steps.some(({ does }) => does === 'keep') ? asPipeline(steps, literal) : asOperators(steps);
}

/** Of steps without `keep`. An operator without members is left out, because the server rejects it. */
export function asOperators(steps: readonly Step[]): Document {
  const update: Record<string, Document> = {};
  for (const { does, member, value } of steps)
    if (does !== 'keep') (update[operators[does]] ??= {})[member] = value ?? '';
  return update;
}

/** `$literal`, because a pipeline reads a text that starts with $ as a field name. */
function literal({ value }: Step): Document {
  return { $literal: value };
}

/** `valueOf`: the expression for the value of a step. `temporary`: members to remove in the end. */
export function asPipeline(
  steps: readonly Step[],
  valueOf: (step: Step, at: number) => Document,
  temporary: readonly string[] = [],
): Document[] {
  const $set: Document = {};
  const $unset = [...temporary];
  steps.forEach((step, at) => {
    if (step.does === 'unset') $unset.push(step.member);
    else $set[step.member] = expressionOf(step, valueOf(step, at), $set);
  });
  return $unset.length === 0 ? [{ $set }] : [{ $set }, { $unset }];
}

function expressionOf({ does, member }: Step, value: Document, $set: Document): unknown {
  const stored = `$${member}`;
  switch (does) {
    case 'keep':
      return { $cond: [{ $eq: [stored, value] }, stored, $set[member]] };
    case 'max':
      return { $max: [stored, value] };
    case 'min':
      return { $min: [stored, value] };
    case 'add':
      return { $add: [{ $ifNull: [stored, 0] }, value] };
    case 'join':
      return joined(stored, value);
    default:
      return value;
  }
}

/** Appends the value unless it is in the list; `$setUnion` would sort the list. */
function joined(stored: string, value: Document): Document {
  const known = { $ifNull: [stored, []] };
  return { $cond: [{ $in: [value, known] }, known, { $concatArrays: [known, [value]] }] };
}
