/**
 * Bulk writes as server commands. The driver's bulk API measures each document twice and does not report results per statement; here one
 * command is one message, and its reply is read completely.
 */
import type { Db, Document } from 'mongodb';
import { newSecret } from '../../kernel/ids.ts';
import { asList, asRecord } from '../../kernel/json.ts';
import type { Connection } from './connection.ts';

/** A document by its shard key. Of a message or a delivery the channel is part of that: a query by ids alone goes to every shard. */
interface Keyed {
  _id: string;
  channelId?: string;
}

export interface NewDocument extends Document, Keyed {
  /** Unique for each write, so that a repeated insert or claim recognises itself. */
  token: string;
}

/** A statement on one document. */
export interface Update {
  id: string;
  q: Document;
  u: Document | Document[];
  upsert?: boolean;
  /** Of every document that matches. */
  multi?: true;
  /** A duplicate key that comes twice means that the write is done already. [faults: 28] */
  whenTaken?: 'done';
}

export interface Claim extends Update {
  channelId: string;
  token: string;
}

interface WriteError {
  index: number;
  code: number;
}

export interface Reply {
  /** Number of documents matched or inserted. */
  n: number;
  writeErrors: WriteError[];
  /** Indexes of the statements that inserted a document instead of changing one. */
  upserted: number[];
}

export interface Commands {
  insert(documents: readonly NewDocument[]): Promise<Reply>;
  update(statements: readonly Omit<Update, 'id'>[], ordered: boolean): Promise<Reply>;
  remove(ids: readonly string[]): Promise<Reply>;
  /** The tokens that these documents have now. */
  tokens(documents: readonly Keyed[]): Promise<Map<string, string>>;
}

const instance = newSecret(6);
let minted = 0;

/** A token that no other write of any process has. */
export function newToken(): string {
  minted += 1;
  return `${instance}.${minted.toString(36)}`;
}

export function commandsOn({ db, writeConcern, safely }: Connection, collection: string): Commands {
  const write = (command: Document): Promise<Reply> => run(db, { ...command, writeConcern });
  return {
    insert: (documents) => write({ insert: collection, documents, ordered: false }),
    update: (statements, ordered) =>
      write({
        update: collection,
        updates: statements.map(({ q, u, upsert, multi }) => ({ q, u, upsert, multi })),
        ordered,
      }),
    remove: (ids) =>
      write({ delete: collection, deletes: [{ q: { _id: { $in: ids } }, limit: 0 }], ordered: false }),
    async tokens(documents) {
      const ids = { $in: documents.map(({ _id }) => _id) };
      const channelIds = new Set(documents.flatMap(({ channelId }) => channelId ?? []));
      const ofChannels = channelIds.size === 0 ? {} : { channelId: { $in: [...channelIds] } };
      const found = db
        .collection<NewDocument>(collection)
        .find({ _id: ids, ...ofChannels }, { ...safely, projection: { token: 1 } });
      return new Map((await found.toArray()).map(({ _id, token }) => [_id, token]));
    },
  };
}

async function run(db: Db, command: Document): Promise<Reply> {
  return readReply(await db.command(command, { ignoreUndefined: true }));
}

function readReply(reply: Document): Reply {
  const writeErrors = asList(reply['writeErrors']).map(readWriteError);
  const upserted = asList(reply['upserted']).map((each) => Number(asRecord(each)?.['index']));
  return { n: Number(reply['n'] ?? 0), writeErrors, upserted };
}

function readWriteError(error: unknown): WriteError {
  const { index, code } = asRecord(error) ?? {};
  return { index: Number(index), code: Number(code) };
}
