/** The notes of the app, read with care: a newer build may have written them. */
import type { KnownAppWebhooks } from './app-webhooks-rules.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import { asList, asRecord, asText } from '../../kernel/json.ts';
import type { World } from '../world.ts';

const webhooksId = 'webhooks';
const handshakeId = 'handshake';
const refusedId = 'handshake-refused';
const kindId = (channelType: ChannelType): string => `connected:${channelType}`;

export interface KnownApp {
  /** Kinds of which a channel was ever connected. */
  kinds: ReadonlySet<ChannelType>;
  /** When upstream was last asked; null: never, or without an answer. */
  checkedAt: number | null;
  webhooks: ReadonlyMap<ChannelType, KnownAppWebhooks>;
  /** When upstream's verification was last answered with its challenge; null: never. */
  handshakeAt: number | null;
  /** When it was last refused, for a wrong verify token. */
  handshakeRefusedAt: number | null;
}

type NotesWorld = Pick<World, 'stores' | 'clock'>;

export async function readKnownApp({ stores }: NotesWorld): Promise<KnownApp> {
  const notes = await stores.appNotes.of([webhooksId, handshakeId, refusedId, ...channelTypes.map(kindId)]);
  const byId = new Map(notes.map((note) => [note.id, note]));
  const webhooks = byId.get(webhooksId);
  return {
    kinds: new Set(channelTypes.filter((type) => byId.has(kindId(type)))),
    checkedAt: webhooks?.at ?? null,
    webhooks: parseWebhooks(webhooks?.said),
    handshakeAt: byId.get(handshakeId)?.at ?? null,
    handshakeRefusedAt: byId.get(refusedId)?.at ?? null,
  };
}

function parseWebhooks(said: unknown): Map<ChannelType, KnownAppWebhooks> {
  const record = asRecord(said) ?? {};
  return new Map(
    channelTypes.flatMap((type) => {
      const known = asRecord(record[type]);
      const state = asText(known?.['state']);
      if (state !== 'right' && state !== 'elsewhere' && state !== 'lacking' && state !== 'off') return [];
      const missing = asList(known?.['missing']).flatMap((name) => asText(name) ?? []);
      return [[type, { state, missing, why: asText(known?.['why']) }] as const];
    }),
  );
}

export function noteWebhooks(
  { stores, clock }: NotesWorld,
  known: ReadonlyMap<ChannelType, KnownAppWebhooks>,
): Promise<void> {
  return stores.appNotes.put({ id: webhooksId, at: clock.now(), said: Object.fromEntries(known) });
}

/** The caller limits how often: anybody can be refused. */
export function noteHandshake({ stores, clock }: NotesWorld, isRight: boolean): Promise<void> {
  return stores.appNotes.put({ id: isRight ? handshakeId : refusedId, at: clock.now(), said: null });
}

export function noteKind({ stores, clock }: NotesWorld, channelType: ChannelType): Promise<void> {
  return stores.appNotes.put({ id: kindId(channelType), at: clock.now(), said: null });
}
