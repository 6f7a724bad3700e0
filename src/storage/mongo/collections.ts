import type { SealedText } from '../../kernel/sealed.ts';
import type { Binary, Collection, Db, GridFSBucket, ObjectId } from 'mongodb';
import type {
  ChannelDocument,
  DeliveryDocument,
  UnmatchedDocument,
  MessageDocument,
  SubscriptionDocument,
} from './documents.ts';
import type { Connection } from './connection.ts';
import type { GroupCommitQueue } from './group-commit-queue.ts';
import type { RetryPolicy } from './retry-policy.ts';

export interface OwnerDocument {
  _id: string;
  epoch: number;
  nodeId: string;
  /** Missing: the channel is free. */
  incarnation?: string;
  /** Incarnation of the previous owner, or of the last one. */
  previous?: string;
  at: number;
}

export interface MailDocument {
  _id: string;
  accountId: string;
  kind: string;
  subject: string;
  sendAfter: number;
  gathersUntil?: number;
  createdAt: number;
  /** Shown before the lines. */
  opening?: readonly string[];
  lines: { token: string; line: string }[];
  /** Number of lines that arrived; `lines` has the first of them. */
  told?: number;
  link?: SealedText;
  recipient?: string;
  unsent?: true;
  sentAt?: number;
  givenUp?: string;
}

/** `blob`: id of the file's bytes, until they are erased. `mimeType`, `fileSize` and `filename` are set when the file is complete. */
export interface MediaDocument {
  _id: string;
  accountId: string;
  channelId: string;
  createdAt: number;
  expiresAt: number;
  blob?: ObjectId;
  mimeType?: string;
  fileSize?: number;
  filename?: string | null;
}

/** A chunk of a file in GridFS. */
interface ChunkDocument {
  files_id: ObjectId;
  n: number;
  data: Binary;
}

/** Fields that messages and deliveries share. */
export interface OpenDocument {
  _id: string;
  channelId: string;
  dueAt?: number;
  epoch: number;
}

interface Collections {
  owners: Collection<OwnerDocument>;
  subscriptions: Collection<SubscriptionDocument>;
  channels: Collection<ChannelDocument>;
  messages: Collection<MessageDocument>;
  unmatched: Collection<UnmatchedDocument>;
  deliveries: Collection<DeliveryDocument>;
  mails: Collection<MailDocument>;
  /** Messages and deliveries: the collections that an activation takes over. */
  open: readonly Collection<OpenDocument>[];
}

/** Records of files, and the two GridFS collections. */
interface MediaCollections {
  bucket: GridFSBucket;
  newBlob(): ObjectId;
  files: Collection<MediaDocument>;
  blobs: Collection<{ _id: ObjectId }>;
  chunks: Collection<ChunkDocument>;
}

/** What every MongoDB store needs. */
export interface MongoContext extends Collections {
  db: Db;
  media: MediaCollections;
  retryPolicy: RetryPolicy;
  safely: Connection['safely'];
  commitQueues: Record<
    'messages' | 'deliveries' | 'unmatched' | 'mails' | 'idempotency' | 'strandedFacts',
    GroupCommitQueue
  >;
}

export function openMediaCollections({ db, gridFs }: Connection): MediaCollections {
  return {
    ...gridFs,
    files: db.collection('media_files'),
    blobs: db.collection('media.files'),
    chunks: db.collection('media.chunks'),
  };
}

export function openCollections(db: Db): Collections {
  return {
    owners: db.collection('owners'),
    subscriptions: db.collection('subscriptions'),
    channels: db.collection('channels'),
    messages: db.collection('messages'),
    unmatched: db.collection('unmatched_facts'),
    deliveries: db.collection('deliveries'),
    mails: db.collection('mails'),
    open: [db.collection('messages'), db.collection('deliveries')],
  };
}
