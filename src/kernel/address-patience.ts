/**
 * Node gives up each address of a name but the last after 250 ms, so that a server with one slow and one dead path is never reached. Calls to
 * receivers and upstream race the addresses (`delivery/dial-race.ts`); MongoDB, Redis, mail and billing connect by libraries, which take
 * Node's default. [faults: 342]
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/** A handshake over a bad path takes a second or two; the libraries give up a whole connection after three seconds or more. */
const perAddressMs = 2_000;

/** Call it once, before the first connection of the process. */
export function haveAddressPatience(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(perAddressMs);
}
