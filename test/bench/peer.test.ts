/** Bench 17 runs only where its reader has the peer; elsewhere it says what is missing. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkoutAt } from '../../bench/peer/checkout.ts';
import { CannotRun } from '../../bench/scenarios/bench.ts';
import { chosen } from '../../bench/suite.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-peer-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const moduleFile = (text: string): void => writeFileSync(join(folder, 'go.mod'), text);

test('without BENCH_COURIER it is skipped, and the run goes on', () => {
  for (const unset of [undefined, '']) {
    expect(() => checkoutAt(unset)).toThrow(CannotRun);
    expect(() => checkoutAt(unset)).toThrow('BENCH_COURIER names no checkout of nyaruka/courier');
  }
});

test('a folder without the peer, a binary and another program are skipped with the reason', () => {
  expect(() => checkoutAt(folder)).toThrow(CannotRun);
  expect(() => checkoutAt(folder)).toThrow('which has no go.mod');
  expect(() => checkoutAt(process.execPath)).toThrow('the bench builds the peer from its checkout');
  moduleFile('module github.com/someone/courier\n\ngo 1.26.0\n');
  expect(() => checkoutAt(folder)).toThrow(CannotRun);
  expect(() => checkoutAt(folder)).toThrow("whose go.mod is not courier's");
});

test('a checkout is taken by any version of its module', () => {
  moduleFile('module github.com/nyaruka/courier/v26\n\ngo 1.26.0\n');
  expect(checkoutAt(folder)).toEqual({ folder, module: 'github.com/nyaruka/courier/v26' });
  moduleFile('module github.com/nyaruka/courier\n');
  expect(checkoutAt(folder).module).toBe('github.com/nyaruka/courier');
});

test('the bench is chosen by name or number', () => {
  expect(chosen(new Set(['courier']), false)).toEqual(chosen(new Set(['17']), false));
});
