/** All tables, and those column sets that are read or written alone. */
import { channelFields, reservedFields } from '../entities/channels.ts';
import { grantFields, knownFields, pendingFields, webhookFields } from '../entities/views.ts';
import { entities } from '../entities/index.ts';
import type { EntityName, ItemOf } from '../entities/index.ts';
import { columnName } from './columns.ts';
import { Table } from './table.ts';
import type { AnyTable } from './table.ts';

const owners = new Table(entities.owners);
const accounts = new Table(entities.accounts);
const accountWords = new Table(entities.accountWords);
const apiKeys = new Table(entities.apiKeys);
export const redirects = new Table(entities.redirects);
const people = new Table(entities.people);
const passes = new Table(entities.passes);
export const subscriptions = new Table(entities.subscriptions);
export const channels = new Table(entities.channels);
const setupSessions = new Table(entities.setupSessions);
const idempotency = new Table(entities.idempotency);
export const messages = new Table(entities.messages);
export const messageUpstreamIds = new Table(entities.messageUpstreamIds);
export const unmatchedFacts = new Table(entities.unmatchedFacts);
export const deliveries = new Table(entities.deliveries);
export const mails = new Table(entities.mails);
const mailLines = new Table(entities.mailLines);
export const mediaFiles = new Table(entities.mediaFiles);
const strandedFacts = new Table(entities.strandedFacts);
const quarantine = new Table(entities.quarantine);
const requestLog = new Table(entities.requestLog);
const channelHealth = new Table(entities.channelHealth);
const replays = new Table(entities.replays);
const transcripts = new Table(entities.transcripts);
const templates = new Table(entities.templates);
const templateSyncs = new Table(entities.templateSyncs);
const templateUses = new Table(entities.templateUses);
const audit = new Table(entities.audit);
const deliveryHours = new Table(entities.deliveryHours);

const all: { readonly [N in EntityName]: Table<ItemOf<N>> } = {
  owners, templates, templateSyncs, templateUses, accounts, apiKeys, redirects, people, passes, subscriptions, channels,
  setupSessions, idempotency, messages, messageUpstreamIds, unmatchedFacts, deliveries, mails, mailLines, mediaFiles,
  strandedFacts, quarantine, requestLog, channelHealth, audit, replays, transcripts, accountWords, deliveryHours,
}; // oxfmt-ignore

export const tables: readonly AnyTable[] = Object.values(all);

export function findTable<N extends EntityName>(name: N): Table<ItemOf<N>> {
  return all[name];
}

/** For callers that have the entity's name as data. */
export function anyTable(name: EntityName): Table<object> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- items are matched to entities by name
  return all[name] as unknown as Table<object>;
}

export const ownColumns = channels.pick(...channelFields);
export const reservedColumns = channels.pick(...reservedFields);
export const grantColumns = channels.pick(...grantFields);
export const webhookColumns = channels.pick(...webhookFields);

/** Clears a reservation; part of an `update`. */
export const noReservation = reservedFields.map((key) => `${columnName(key)} = null`).join(', ');

export const knownColumns = messages.pick(...knownFields);
export const pendingColumns = deliveries.pick(...pendingFields);
