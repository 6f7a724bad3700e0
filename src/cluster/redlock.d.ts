/** redlock 4.2 as far as `lease.ts` uses it; the published types are for an old ioredis. */
declare module 'redlock' {
  export interface Lock {
    extend(ttlMs: number): PromiseLike<Lock>;
    unlock(): PromiseLike<void>;
  }

  export default class Redlock {
    constructor(clients: unknown[], options: { retryCount: number; driftFactor?: number });
    lock(resource: string, ttlMs: number): PromiseLike<Lock>;
    on(event: 'error' | 'clientError', listener: (error: Error) => void): void;
  }
}
