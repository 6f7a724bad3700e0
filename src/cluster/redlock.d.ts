/** redlock 4.2 as far as `lease.ts` uses it; the published types are for an old ioredis. */
declare module 'redlock' {
  export interface Lock {
    readonly value: string;
    /** Wall ms; `extend` refuses a lock that is past it without asking Redis. */
    expiration: number;
    extend(ttlMs: number): PromiseLike<Lock>;
  }

  export interface Options {
    retryCount: number;
    driftFactor?: number;
    /** Each gets the built-in script and answers the one to use. */
    lockScript?: (builtIn: string) => string;
    unlockScript?: (builtIn: string) => string;
  }

  export default class Redlock {
    constructor(clients: unknown[], options: Options);
    lock(resource: string, ttlMs: number): PromiseLike<Lock>;
    on(event: 'clientError', listener: (error: Error) => void): void;
  }
}
