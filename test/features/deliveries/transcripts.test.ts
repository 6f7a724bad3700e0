/** What was sent and answered, while it is gathered: what is kept of it, and who can read it. [portal: Deliveries] */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { newSealer } from '../../support/sealing.ts';
import { minuteMs } from '../../../src/kernel/clock.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import type { TranscribedAttempt, Transcript } from '../../../src/rules/webhooks/transcript.ts';
import { Transcripts } from '../../../src/features/deliveries/transcripts.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import type { KeptTranscript } from '../../../src/features/deliveries/entity.ts';

const answer = { headers: [['via', 'a']] as const, body: Buffer.from('a secret of theirs'), isCut: false };
const transcript: Transcript = {
  address: 'https://hooks.example.com/in',
  request: [['a', 'b']] as const,
  answer,
};

let clock: FakeClock;
let written: KeptTranscript[];
let isAway: boolean;
let trimmed: [number, number][];
let transcripts: Transcripts;
function over(sealer = newSealer()): Transcripts {
  const store = {
    async add(all: readonly KeptTranscript[]) {
      if (isAway) throw new StoreUnavailable('away', 'no');
      written.push(...all);
    },
    ofDelivery: async () => written,
    trim: async (...given: [number, number]) => {
      trimmed.push(given);
      return 3;
    },
  };
  return new Transcripts({ store, sealer, clock, keptMs: minuteMs });
}
beforeEach(() => {
  clock = new FakeClock();
  written = [];
  [isAway, trimmed] = [false, []];
  transcripts = over();
});

const about = { accountId: 'account', channelId: 'channel', deliveryId: 'delivery' };
const attempt = (more: Partial<TranscribedAttempt> = {}): TranscribedAttempt => ({
  ...about,
  startedAt: 7,
  isTaken: false,
  transcript,
  ...more,
});
const noted = (times: number, more: Partial<TranscribedAttempt> = {}): void => {
  for (let n = 0; n < times; n += 1) transcripts.note(attempt(more));
};

describe('transcripts of attempts', () => {
  test('are read by the start of their attempt, before they were written too', async () => {
    noted(1);
    noted(1, { startedAt: 9, transcript: { ...transcript, answer: null } });
    expect(await transcripts.ofDelivery(about)).toEqual(
      new Map([
        [7, transcript],
        [9, { ...transcript, answer: null }],
      ]),
    );
  });

  test('are sealed for their channel; what can not be opened is not there', async () => {
    noted(1);
    await transcripts.flush();
    expect(Buffer.from(written[0]?.content ?? []).includes('a secret of theirs')).toBe(false);
    expect(await over().ofDelivery(about)).toEqual(new Map());
    written = written.map((each) => ({ ...each, channelId: 'another' }));
    expect(await transcripts.ofDelivery(about)).toEqual(new Map());
  });

  test('above a rate are left out; what is taken never displaces failures, nor one channel another', async () => {
    noted(200);
    noted(200, { isTaken: true });
    noted(2, { channelId: 'calm' });
    await transcripts.flush();
    const count = (channelId: string, isTaken: boolean) =>
      written.filter((each) => each.channelId === channelId && each.isTaken === isTaken).length;
    expect([count('channel', false), count('channel', true), count('calm', false)]).toEqual([60, 60, 2]);
    // Of a minute, wherever in it.
    clock.advance(minuteMs - (clock.now() % minuteMs) - 1);
    noted(1);
    await transcripts.flush();
    expect(count('channel', false)).toBe(60);
    clock.advance(1);
    noted(1);
    await transcripts.flush();
    expect(count('channel', false)).toBe(61);
  });

  test('while the store is away some are kept for the next time, and failures have a place of their own', async () => {
    isAway = true;
    for (let n = 0; n < 600; n += 1) transcripts.note(attempt({ channelId: `t${n}`, isTaken: true }));
    for (let n = 0; n < 1_200; n += 1) transcripts.note(attempt({ channelId: `f${n}` }));
    await expect(transcripts.flush()).rejects.toThrow(StoreUnavailable);
    isAway = false;
    await transcripts.flush();
    expect([written.length, written.filter(({ isTaken }) => isTaken).length]).toEqual([1_000, 500]);
    await transcripts.flush();
    expect(written).toHaveLength(1_000);
  });

  test('that are older than the log, and more than five thousand of a channel, go', async () => {
    clock.advance(2 * minuteMs);
    expect(await transcripts.trim()).toBe(3);
    expect(trimmed).toEqual([[5_000, clock.now() - minuteMs]]);
  });

  test('that are none are not written', async () => {
    isAway = true;
    await transcripts.flush();
    expect(written).toEqual([]);
  });
});
