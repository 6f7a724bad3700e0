/**
 * An insert as the bridge performs it: inserts each document with random values in its unique members and a mark, then updates it to
 * its real content. Others can see the marked document in between. No transaction: two transactions of the stand-in can both insert
 * one unique value. If the connection breaks between the two steps, the next insert of the same document finishes the first one.
 */
import { BSON } from 'mongodb';
import type { Document } from 'mongodb';

type Ask = (command: Document) => Promise<Document>;

/** `unique`: the members in unique indexes. */
export interface Insert {
  command: Document;
  unique: ReadonlySet<string>;
}

/** Returns the reply to the insert. A reply that concerns the command and not the write (a fail point, a step-down) is returned unchanged. */
export async function insertInSteps({ command, unique }: Insert, ask: Ask): Promise<Document> {
  const writeErrors: Document[] = [];
  let inserted = 0;
  for (const [index, document] of command['documents'].entries()) {
    const reply = await insertOne(command, { unfinished: unfinishedOf(document, unique), document }, ask);
    if (Number(reply['ok']) !== 1) return reply;
    const error = reply['writeErrors']?.[0];
    if (error === undefined) inserted += 1;
    else writeErrors.push({ ...error, index: new BSON.Int32(index) });
    if (error !== undefined && command['ordered'] !== false) break;
  }
  return { n: new BSON.Int32(inserted), ...(writeErrors.length === 0 ? {} : { writeErrors }), ok: 1 };
}

const mark = 'isUnfinished';

function unfinishedOf(document: Document, unique: ReadonlySet<string>): Document {
  const held = Object.keys(document).filter((member) => unique.has(member));
  const others = Object.fromEntries(held.map((member) => [member, new BSON.ObjectId()]));
  return { _id: document['_id'], ...others, [mark]: true };
}

async function insertOne(
  { insert, $db, writeConcern }: Document,
  { unfinished, document }: { unfinished: Document; document: Document },
  ask: Ask,
): Promise<Document> {
  const q = { _id: document['_id'], [mark]: true };
  for (;;) {
    const begun = await ask({ insert, documents: [unfinished], $db, writeConcern });
    if (Number(begun['ok']) !== 1) return begun;
    const ended = await ask({ update: insert, updates: [{ q, u: document }], $db, writeConcern });
    if (!isDone(ended)) {
      await ask({ delete: insert, deletes: [{ q, limit: 1 }], $db, writeConcern });
      return ended;
    }
    if (Number(ended['n']) === 1) return ended;
    // Either the document exists, as the first step's reply says, or somebody else has just finished our insert.
    if (!isDone(begun)) return begun;
  }
}

function isDone(reply: Document): boolean {
  return Number(reply['ok']) === 1 && reply['writeErrors'] === undefined;
}
