/** A store whose calls are observed, to know what a test of all of it has used. */
import type { Write } from '../../src/storage/journal/writes.ts';
import type { OpenStore } from './conformance/store.ts';

type Used = Pick<OpenStore, 'stores' | 'channelState'>;

interface Call {
  /** `store.method`. */
  method: string;
  /** The kinds of write of a commit. */
  writes: readonly Write['write'][];
}

/** The same store; `onCall` is called before each call of a method. */
export function watched({ stores, channelState }: Used, onCall: (call: Call) => void): Used {
  const watch = <T extends object>(name: string, part: T): T =>
    new Proxy(part, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          const [, , last] = args;
          const writes = key === 'commit' && Array.isArray(last) ? last.map(({ write }: Write) => write) : [];
          onCall({ method: `${name}.${String(key)}`, writes });
          return Reflect.apply(value, target, args);
        };
      },
    });
  const all = new Proxy(stores, {
    get: (target, key) => watch(String(key), Object(Reflect.get(target, key, target))),
  });
  return { stores: all, channelState: watch('channelState', channelState) };
}
