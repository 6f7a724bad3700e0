import type { Write } from '../../../../actors/channel/ports/writes.ts';
import type { SealedBytes } from '../../../domain/accounts/sealed.ts';

/**
 * A write whose bytes have memory of their own. Cloning a small Buffer to another thread copies the whole 8 KB pool it may
 * be a view of; the sealer makes exact ones, so that this copies nothing in the usual case.
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

/** An item whose bytes have memory of their own; see `exactBytes`. */
export function withExactBytes<T extends object>(item: T): T {
  const copies: object = {};
  for (const key in item) {
    const value: unknown = item[key];
    if (value instanceof Uint8Array && !isExact(value)) Reflect.set(copies, key, new Uint8Array(value));
  }
  return { ...item, ...copies };
}
