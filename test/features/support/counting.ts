/** Counts the items that reads of the stores return. */
import type { Stores } from '../../../src/features/stores.ts';

interface Counting {
  stores: Stores;
  /** By store, since the last reset. */
  rows: () => Readonly<Record<string, number>>;
  reset: () => void;
}

export function counting(given: Stores): Counting {
  let rows: Record<string, number> = {};
  const watch = <T extends object>(name: string, store: T): T =>
    new Proxy(store, {
      get(target, property): unknown {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]): Promise<unknown> => {
          const result: unknown = await Reflect.apply(member, target, args);
          rows[name] = (rows[name] ?? 0) + countIn(result);
          return result;
        };
      },
    });
  const stores: Stores = new Proxy(given, {
    get(target, property): unknown {
      const store: unknown = Reflect.get(target, property);
      return typeof store === 'object' && store !== null ? watch(String(property), store) : store;
    },
  });
  return {
    stores,
    rows: () => rows,
    reset() {
      rows = {};
    },
  };
}

function countIn(result: unknown): number {
  if (Array.isArray(result)) return result.length;
  if (result instanceof Map) return result.size;
  if (typeof result !== 'object' || result === null) return 0;
  const items: unknown = Reflect.get(result, 'items');
  return Array.isArray(items) ? items.length : 1;
}
