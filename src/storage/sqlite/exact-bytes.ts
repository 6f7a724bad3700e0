import type { Write } from '../journal/writes.ts';
import type { SealedBytes } from '../../kernel/sealed.ts';

/**
 * Ensures that the bytes of a write have their own memory. A small Buffer may be a view of the 8 KB pool, and cloning it to another thread
 * copies the whole pool. The sealer returns exact buffers, so usually nothing is copied here.
 */
export function exactBytes(write: Write): Write {
  switch (write.write) {
    case 'insertMessage':
    case 'insertEcho': {
      const { content } = write.message;
      if (isExact(content)) return write;
      return { ...write, message: { ...write.message, content: copyBytes(content) } };
    }
    case 'insertDelivery': {
      const { payload } = write.delivery;
      if (isExact(payload)) return write;
      return { ...write, delivery: { ...write.delivery, payload: copyBytes(payload) } };
    }
    default:
      return write;
  }
}

function isExact(bytes: Uint8Array | null): boolean {
  return bytes === null || bytes.byteLength === bytes.buffer.byteLength;
}

function copyBytes(bytes: SealedBytes | null): SealedBytes | null {
  return bytes === null ? null : new Uint8Array(bytes);
}

/** The item, its bytes in memory of their own; see `exactBytes`. */
export function withExactBytes<T extends object>(item: T): T {
  const copies: object = {};
  for (const key in item) {
    const value: unknown = item[key];
    if (value instanceof Uint8Array && !isExact(value)) Reflect.set(copies, key, new Uint8Array(value));
  }
  return { ...item, ...copies };
}
