/** [faults: 84, 113] How often passwords may be tried. */
import { expect, test } from '@jest/globals';
import { peopleLimits } from '../../src/use-cases/rate-limits.ts';
import { countTry } from '../../src/use-cases/people/passwords.ts';
import { FakeClock } from '../support/fake-clock.ts';

function tries(clock = new FakeClock()) {
  const deps = { peopleLimits: peopleLimits(clock) };
  return {
    clock,
    right: (address: string, account: string) => countTry(deps, address, account)(),
    wrong: (address: string, account: string) => void countTry(deps, address, account),
  };
}

const limited = expect.objectContaining({ status: 429 });

test('right ones from one address: 120, then one a second, over all accounts', () => {
  const { clock, right } = tries();
  for (let n = 0; n < 120; n += 1) right('192.0.2.1', `account-${n}`);
  expect(() => right('192.0.2.1', 'another')).toThrow(limited);
  right('192.0.2.2', 'another');
  clock.advance(1_000);
  right('192.0.2.1', 'another');
  expect(() => right('192.0.2.1', 'another')).toThrow(limited);
});

test('right ones of one account: 30, then one each 20 s, from all addresses', () => {
  const { clock, right } = tries();
  for (let n = 0; n < 30; n += 1) right(`192.0.2.${n}`, 'account');
  expect(() => right('198.51.100.1', 'account')).toThrow(limited);
  clock.advance(20_000);
  right('198.51.100.2', 'account');
  expect(() => right('198.51.100.3', 'account')).toThrow(limited);
});

test('wrong ones: 10 of an account and 30 from an address', () => {
  const { wrong } = tries();
  for (let n = 0; n < 10; n += 1) wrong(`192.0.2.${n}`, 'account');
  expect(() => wrong('192.0.2.99', 'account')).toThrow(limited);
  for (let n = 0; n < 30; n += 1) wrong('198.51.100.1', `account-${n}`);
  expect(() => wrong('198.51.100.1', 'another')).toThrow(limited);
});
