/** The part of redlock 4.2 that `lease.ts` uses; the published types are for an old ioredis. */
declare module 'redlock' {
  export interface Lock {
    /** Wall ms; `extend` refuses an expired lock without asking Redis. */
    expiration: number;
    extend(ttlMs: number): PromiseLike<Lock>;
  }

  export interface Options {
    retryCount: number;
    /** Gets the built-in script and returns the one to use. */
    unlockScript?: (builtIn: string) => string;
  }

  export default class Redlock {
    constructor(clients: unknown[], options?: Options);
    lock(resource: string, ttlMs: number): PromiseLike<Lock>;
    unlock(lock: Lock): PromiseLike<void>;
    on(event: 'clientError', listener: (error: Error) => void): void;
  }
}
