/** The tables that have SQL of their own, and those column sets that are read or written alone. */
import { channelFields, channels as channelEntity, reservedFields } from '../entities/channels.ts';
import { deliveries as deliveryEntity } from '../entities/deliveries.ts';
import type { AnyEntity, Entity } from '../entities/entity.ts';
import { unmatchedFacts as unmatchedFactEntity } from '../entities/facts.ts';
import { mails as mailEntity } from '../entities/mails.ts';
import { mediaFiles as mediaFileEntity } from '../entities/media-files.ts';
import {
  messages as messageEntity,
  messageUpstreamIds as messageUpstreamIdEntity,
} from '../entities/messages.ts';
import { subscriptions as subscriptionEntity } from '../entities/subscriptions.ts';
import { grantFields, knownFields, pendingFields, webhookFields } from '../entities/views.ts';
import { columnName } from './columns.ts';
import { Table } from './table.ts';

export const channels = new Table(channelEntity);
export const deliveries = new Table(deliveryEntity);
export const mails = new Table(mailEntity);
export const mediaFiles = new Table(mediaFileEntity);
export const messages = new Table(messageEntity);
export const messageUpstreamIds = new Table(messageUpstreamIdEntity);
export const subscriptions = new Table(subscriptionEntity);
export const unmatchedFacts = new Table(unmatchedFactEntity);

/** The tables of these entities by name, for calls of the main thread, which name an entity by text. */
export type Tables = ReadonlyMap<string, Table<object>>;

export function makeTables(entities: readonly AnyEntity[]): Tables {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- items are matched to entities by name
  return new Map(entities.map((each) => [each.name, new Table(each as unknown as Entity<object>)]));
}

export const ownColumns = channels.pick(...channelFields);
export const reservedColumns = channels.pick(...reservedFields);
export const grantColumns = channels.pick(...grantFields);
export const webhookColumns = channels.pick(...webhookFields);

/** Clears a reservation; part of an `update`. */
export const noReservation = reservedFields.map((key) => `${columnName(key)} = null`).join(', ');

export const knownColumns = messages.pick(...knownFields);
export const pendingColumns = deliveries.pick(...pendingFields);
