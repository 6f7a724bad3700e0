/** Every sort of stored item. Opening a store creates their tables, collections and indexes. */
import { engineEntities } from '../storage/entities/index.ts';
import type { AnyEntity } from '../storage/entities/entity.ts';
import { accounts, accountWords, apiKeys } from './accounts/entity.ts';
import { audit } from './audit/entity.ts';
import { channelHealth, channelWords, followUps } from './channels/entity.ts';
import { setupSessions } from './connecting/entity.ts';
import { deliveryHours, replays, transcripts } from './deliveries/entity.ts';
import { passes, people } from './accounts/people-entity.ts';
import { uploads } from './media/entity.ts';
import { appNotes } from './platform/entity.ts';
import { personNames } from './person-names/entity.ts';
import { quarantine } from './quarantine/entity.ts';
import { loggedRequests } from './requests/entity.ts';
import { templates, templateSyncs, templateUses } from './templates/entity.ts';
import { defaultWebhooks } from './default-webhook/entity.ts';
import { endpoints } from './endpoints/entity.ts';
import { redirects } from './redirects/entity.ts';

export const entities: readonly AnyEntity[] = [
  ...engineEntities,
  accounts,
  accountWords,
  apiKeys,
  redirects,
  defaultWebhooks,
  endpoints,
  people,
  passes,
  setupSessions,
  channelHealth,
  channelWords,
  followUps,
  templates,
  templateSyncs,
  templateUses,
  replays,
  transcripts,
  deliveryHours,
  quarantine,
  loggedRequests,
  audit,
  appNotes,
  personNames,
  uploads,
];
