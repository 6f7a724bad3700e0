/** Prints the event loop turns of a process with a delay gauge: read once, not read for a while, read again. */
import { makeDelayGauge } from '../../src/http/middleware/load-shed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { turnsAtRest } from '../support/loop-turns.ts';

const clock = new FakeClock();
const gauge = makeDelayGauge(clock);
const turns: number[] = [];
gauge.read();
turns.push(await turnsAtRest());
clock.advance(5_000); // it was read meanwhile
clock.advance(5_000);
turns.push(await turnsAtRest());
gauge.read();
turns.push(await turnsAtRest());
gauge.stop();
console.log(JSON.stringify(turns));
