/** All tables, and those column sets that are read or written alone. */
import { channelFields, reservedFields } from '../entities/channels.ts';
import { grantFields, knownFields, pendingFields, webhookFields } from '../entities/views.ts';
import type { Entity } from '../entities/entity.ts';
import { entities } from '../entities/index.ts';
import type { EntityName, ItemOf } from '../entities/index.ts';
import { columnName } from './columns.ts';
import { Table } from './table.ts';

type Tables = { readonly [N in EntityName]: Table<ItemOf<N>> };

/* oxlint-disable typescript/no-unsafe-type-assertion -- each table has the name and the items of its entity */
export const tables = Object.fromEntries(
  Object.entries<unknown>(entities).map(([name, entity]) => [name, new Table(entity as Entity<object>)]),
) as unknown as Tables;
/* oxlint-enable typescript/no-unsafe-type-assertion */

export const {
  channels,
  deliveries,
  mails,
  mediaFiles,
  messages,
  messageUpstreamIds,
  redirects,
  subscriptions,
  unmatchedFacts,
} = tables;

/** For callers that have the entity's name as data. */
export function anyTable(name: EntityName): Table<object> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- items are matched to entities by name
  return tables[name] as unknown as Table<object>;
}

export const ownColumns = channels.pick(...channelFields);
export const reservedColumns = channels.pick(...reservedFields);
export const grantColumns = channels.pick(...grantFields);
export const webhookColumns = channels.pick(...webhookFields);

/** Clears a reservation; part of an `update`. */
export const noReservation = reservedFields.map((key) => `${columnName(key)} = null`).join(', ');

export const knownColumns = messages.pick(...knownFields);
export const pendingColumns = deliveries.pick(...pendingFields);
