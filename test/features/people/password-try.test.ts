/** [faults: 84, 113, 320] How often passwords may be tried. */
import { expect, test } from '@jest/globals';
import { peopleLimits } from '../../../src/features/people/rate-limits.ts';
import { countTry } from '../../../src/features/people/passwords.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function tries(clock = new FakeClock()) {
  const deps = { peopleLimits: peopleLimits(clock) };
  return {
    clock,
    right: (address: string, account: string) =>
      countTry(deps, { address, account, isKnown: false }).wasRight(),
    wrong: (address: string, account: string, isKnown = false) =>
      void countTry(deps, { address, account, isKnown }),
    refused: (address: string, account: string) =>
      countTry(deps, { address, account, isKnown: false }).wasRefused(),
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

test('one that found no place to be verified counts for nothing', () => {
  const { refused, wrong } = tries();
  for (let n = 0; n < 200; n += 1) refused('2001:db8:0:1::/64', 'account');
  for (let n = 0; n < 10; n += 1) wrong('2001:db8:0:1::/64', 'account');
  expect(() => wrong('2001:db8:0:1::/64', 'account')).toThrow(limited);
});

test('the networks of one IPv6 site may guess as much as eight of them, and other sites are free', () => {
  const { wrong } = tries();
  for (let n = 0; n < 240; n += 1) wrong(`2001:db8:0:${n.toString(16)}::/64`, `account-${n}`);
  expect(() => wrong('2001:db8:0:ffff::/64', 'another')).toThrow(limited);
  wrong('2001:db8:1:ffff::/64', 'another');
});

test('guesses of strangers lock out nobody who is known, at the account or the address; the known have ten of their own', () => {
  const { wrong } = tries();
  for (let n = 0; n < 10; n += 1) wrong('192.0.2.1', 'account');
  for (let n = 0; n < 20; n += 1) wrong('192.0.2.1', `account-${n}`);
  for (let n = 0; n < 10; n += 1) wrong('192.0.2.1', 'account', true);
  expect(() => wrong('192.0.2.1', 'account', true)).toThrow(limited);
});
