/** What another node does between a read and the write that follows it. */
import type { Stores } from '../../../src/features/stores.ts';
import type { World } from '../../../src/features/world.ts';

/** The same world, whose store lets the rival act, once, before this call of it is carried out. */
export function withRival<S extends keyof Stores>(
  world: World,
  [name, call]: readonly [S, keyof Stores[S] & string],
  rival: () => Promise<unknown>,
): World {
  let act: (() => Promise<unknown>) | null = rival;
  const store = new Proxy(world.stores[name], {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key !== call || typeof value !== 'function') return value;
      return async (...given: unknown[]): Promise<unknown> => {
        const once = act;
        act = null;
        await once?.();
        return Reflect.apply(value, target, given);
      };
    },
  });
  return { ...world, stores: { ...world.stores, [name]: store } };
}
