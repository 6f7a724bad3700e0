/** A zip archive of texts: equal texts give equal bytes. */
import { crc32, deflateRawSync } from 'node:zlib';
import type { PackedFile } from './packed-file.ts';

interface Entry {
  name: Buffer;
  packed: Buffer;
  /** What both of its headers have: from the version that is needed to the lengths. */
  facts: Buffer;
}

export function zipOf(files: readonly PackedFile[]): Buffer {
  const entries = files.map(entryOf);
  const locals = entries.map(({ name, packed, facts }) =>
    Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, packed]),
  );
  let offset = 0;
  const directory = Buffer.concat(
    entries.map(({ name, facts }, at) => {
      const header = directoryHeader(name, facts, offset);
      offset += locals[at]?.length ?? 0;
      return header;
    }),
  );
  return Buffer.concat([...locals, directory, end(entries.length, directory.length, offset)]);
}

function entryOf({ path, text }: PackedFile): Entry {
  const bytes = Buffer.from(text);
  const [name, packed] = [Buffer.from(path), deflateRawSync(bytes)];
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0); // version 2.0
  facts.writeUInt16LE(8, 4); // deflate
  facts.writeUInt16LE(33, 8); // 1980-01-01, where zip's time begins
  facts.writeUInt32LE(crc32(bytes), 10);
  facts.writeUInt32LE(packed.length, 14);
  facts.writeUInt32LE(bytes.length, 18);
  facts.writeUInt16LE(name.length, 22);
  return { name, packed, facts };
}

function directoryHeader(name: Buffer, facts: Buffer, offset: number): Buffer {
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(0o100644 * 2 ** 16, 6); // a file of Unix that all may read
  rest.writeUInt32LE(offset, 10);
  // 0x0314: made by version 2.0 on Unix.
  return Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), facts, rest, name]);
}

function end(count: number, directoryBytes: number, directoryAt: number): Buffer {
  const record = Buffer.alloc(22);
  record.write('PK\x05\x06');
  record.writeUInt16LE(count, 8);
  record.writeUInt16LE(count, 10);
  record.writeUInt32LE(directoryBytes, 12);
  record.writeUInt32LE(directoryAt, 16);
  return record;
}
