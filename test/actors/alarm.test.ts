import { describe, expect, test } from '@jest/globals';
import { Alarm } from '../../actors/runtime/alarm.ts';
import { Mailbox } from '../../actors/runtime/mailbox.ts';
import { FakeClock } from '../support/fake-clock.ts';

function ringing(): { clock: FakeClock; alarm: Alarm; rung: string[]; in: (ms: number) => number } {
  const clock = new FakeClock();
  const start = clock.now();
  const rung: string[] = [];
  const alarm = new Alarm(clock, (key) => rung.push(`${key} +${clock.now() - start}`));
  return { clock, alarm, rung, in: (ms) => start + ms };
}

describe('the mailbox', () => {
  test('returns messages in the order in which they came', () => {
    const mailbox = new Mailbox<number>(10);
    for (const message of [1, 2, 3]) mailbox.push(message);
    const first = mailbox.take();
    mailbox.push(4);
    expect([first, mailbox.take(), mailbox.take(), mailbox.take(), mailbox.take()]).toEqual([
      1,
      2,
      3,
      4,
      undefined,
    ]);
  });

  test('is full at its capacity and not before, and still takes messages of the actor itself', () => {
    const mailbox = new Mailbox<string>(2);
    mailbox.push('a');
    expect(mailbox.isFull).toBe(false);
    mailbox.push('b');
    expect(mailbox.isFull).toBe(true);
    mailbox.push('news');
    expect(mailbox.size).toBe(3);
    mailbox.take();
    mailbox.take();
    expect(mailbox.isFull).toBe(false);
  });

  test('drain returns the messages that were not taken, oldest first, and empties the mailbox', () => {
    const mailbox = new Mailbox<string>(10);
    for (const message of ['a', 'b', 'c']) mailbox.push(message);
    mailbox.take();
    expect(mailbox.drain()).toEqual(['b', 'c']);
    expect([mailbox.size, mailbox.take()]).toEqual([0, undefined]);
  });
});

describe('the alarm', () => {
  test('fires in the order of due times, each at its time', () => {
    const { clock, alarm, rung, in: at } = ringing();
    alarm.set('late', at(300));
    alarm.set('soon', at(100));
    alarm.set('middle', at(200));
    clock.advance(1_000);
    expect(rung).toEqual(['soon +100', 'middle +200', 'late +300']);
  });

  test('a new time replaces the old one, whether it is sooner or later', () => {
    const { clock, alarm, rung, in: at } = ringing();
    alarm.set('later', at(100));
    alarm.set('later', at(400));
    alarm.set('sooner', at(500));
    alarm.set('sooner', at(50));
    clock.advance(1_000);
    expect(rung).toEqual(['sooner +50', 'later +400']);
  });

  test('a time that was set, replaced and set again fires once', () => {
    const { clock, alarm, rung, in: at } = ringing();
    alarm.set('a', at(100));
    alarm.set('a', at(200));
    alarm.set('a', at(100));
    clock.advance(1_000);
    expect(rung).toEqual(['a +100']);
  });

  test('null cancels; stop cancels all', () => {
    const { clock, alarm, rung, in: at } = ringing();
    alarm.set('cancelled', at(100));
    alarm.set('cancelled', null);
    clock.advance(200);
    alarm.set('stopped', at(300));
    alarm.stop();
    clock.advance(1_000);
    expect([rung, clock.pending]).toEqual([[], 0]);
  });

  test('a time in the past fires at once', () => {
    const { clock, alarm, rung, in: at } = ringing();
    alarm.set('overdue', at(-5_000));
    clock.advance(0);
    expect(rung).toEqual(['overdue +0']);
  });

  test('an actor that sets a new time while its alarm fires gets another one then', () => {
    const clock = new FakeClock();
    const start = clock.now();
    const rung: number[] = [];
    const alarm: Alarm = new Alarm(clock, (key) => {
      rung.push(clock.now() - start);
      if (rung.length < 3) alarm.set(key, clock.now() + 10);
    });
    alarm.set('a', start);
    clock.advance(1_000);
    expect(rung).toEqual([0, 10, 20]);
  });

  test('thousands of alarms fire in order through one timer', () => {
    const { clock, alarm, in: at } = ringing();
    const rung: number[] = [];
    const many = new Alarm(clock, (key) => rung.push(Number(key)));
    alarm.stop();
    const times = Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 5_000);
    for (const time of times) many.set(String(time), at(time));
    expect(clock.pending).toBe(1);
    clock.advance(5_000);
    expect(rung).toEqual(times.toSorted((a, b) => a - b));
  });

  test('replaced and cancelled alarms do not accumulate', () => {
    const { alarm, in: at } = ringing();
    for (let index = 0; index < 100_000; index += 1) alarm.set(`channel-${index % 10}`, at(600_000 - index));
    expect(alarm.size).toBeLessThan(200);
  });
});
