/**
 * Updates of a channel's documents by rules. Those of one form, on different documents, are one statement: a server plans a statement
 * longer than it changes a document, more so in a collection with many indexes. [performance §4]
 */
import type { Document } from 'mongodb';
import type { Update } from './commands.ts';
import { asPipeline, asUpdate } from './changes.ts';
import type { Step } from './changes.ts';

export class RuledUpdate implements Update {
  readonly id: string;
  readonly channelId: string;
  /** What the document must be, beside its ids. */
  readonly conditions: Document;
  readonly steps: readonly Step[];
  /** Equal for updates that differ in ids and values only. */
  readonly form: string;

  constructor(id: string, channelId: string, conditions: Document, steps: readonly Step[]) {
    this.id = id;
    this.channelId = channelId;
    this.conditions = conditions;
    this.steps = steps;
    let form = JSON.stringify(conditions);
    for (const { does, member } of steps) form += ` ${does} ${member}`;
    this.form = form;
  }

  get q(): Document {
    return { _id: this.id, channelId: this.channelId, ...this.conditions };
  }

  get u(): Document | Document[] {
    return asUpdate(this.steps);
  }
}

type Group = [RuledUpdate, ...RuledUpdate[]];

/** The updates in groups of one form, in each of which a document occurs once. Those of one document keep their order over the groups. */
export function groupByForm(updates: readonly RuledUpdate[]): Group[] {
  const groups: Group[] = [];
  const lastOfForm = new Map<string, number>();
  const lastOfDocument = new Map<string, number>();
  for (const update of updates) {
    const open = lastOfForm.get(update.form) ?? -1;
    const group = open > (lastOfDocument.get(update.id) ?? -1) ? groups[open] : undefined;
    group?.push(update);
    const at = group === undefined ? groups.push([update]) - 1 : open;
    lastOfForm.set(update.form, at);
    lastOfDocument.set(update.id, at);
  }
  return groups;
}

/** The member that holds, within a pipeline only, the place of a document among the updates. */
const place = 'place';

/** One statement for a group. */
export function asStatement(group: Readonly<Group>): Omit<Update, 'id'> {
  const [first] = group;
  if (group.length === 1) return { q: first.q, u: first.u };
  const ids = group.map(({ id }) => id);
  const channelIds = group.map(({ channelId }) => channelId);
  const valueAt = (_: Step, at: number): Document =>
    valueOf(
      group.map(({ steps }) => steps[at]?.value),
      `$${place}`,
    );
  return {
    q: { _id: { $in: ids }, channelId: { $in: [...new Set(channelIds)] }, ...first.conditions },
    u: [{ $set: { [place]: placeIn(ids, channelIds) } }, ...asPipeline(first.steps, valueAt, [place])],
    multi: true,
  };
}

/**
 * A document of another channel than its own update names must not change: adding to a text is an error, at which the statement stops. Not a
 * condition with `$expr`, because a server may then use no index.
 */
function placeIn(ids: readonly string[], channelIds: readonly string[]): Document {
  const found = { $indexOfArray: [{ $literal: ids }, '$_id'] };
  if (new Set(channelIds).size === 1) return found;
  const isOfChannel = { $eq: [valueOf(channelIds, found), '$channelId'] };
  return { $cond: [isOfChannel, found, { $add: ['$channelId', 1] }] };
}

function valueOf(values: readonly unknown[], at: unknown): Document {
  const [first] = values;
  if (values.every((value) => value === first)) return { $literal: first };
  return { $arrayElemAt: [{ $literal: values }, at] };
}
