/** redlock 4.2 as far as `lease.ts` uses it; the published types are for an old ioredis. */
declare module 'redlock' {
  export interface Lock {
    /** Wall ms; `extend` refuses a lock that is past it without asking Redis. */
    expiration: number;
    extend(ttlMs: number): PromiseLike<Lock>;
  }

  export interface Options {
    retryCount: number;
    /** Gets the built-in script and answers the one to use. */
    unlockScript?: (builtIn: string) => string;
  }

  export default class Redlock {
    constructor(clients: unknown[], options?: Options);
    lock(resource: string, ttlMs: number): PromiseLike<Lock>;
    unlock(lock: Lock): PromiseLike<void>;
    on(event: 'clientError', listener: (error: Error) => void): void;
  }
}
