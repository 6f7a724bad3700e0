/** The URLs to which a POST may go. [operator-interface §2: WEBHOOK_ALLOW_INSECURE; faults: 61, 90] */
import { expect, test } from '@jest/globals';
import { Targets } from '../../src/delivery/targets.ts';
import { noNetworks } from '../../src/rules/address.ts';

const rules = { allowInsecure: false, allowedNetworks: noNetworks };

test.each([
  ['https://receiver.test', { origin: 'https://receiver.test', path: '/' }],
  ['https://receiver.test:443/hook?a=1&b=2', { origin: 'https://receiver.test', path: '/hook?a=1&b=2' }],
  ['https://receiver.test:8443/a/b', { origin: 'https://receiver.test:8443', path: '/a/b' }],
  ['http://receiver.test/', 'url'],
  ['https://127.0.0.1/', 'url'],
  ['receiver.test', 'url'],
  ['https://trunkline.test/hook', 'loop'],
  ['https://TRUNKLINE.test:443', 'loop'],
  ['https://trunkline.test:8443/', { origin: 'https://trunkline.test:8443', path: '/' }],
])('%s: %j, every time', (url, target) => {
  const targets = new Targets(rules, ['https://trunkline.test/api']);
  expect([targets.of(url), targets.of(url)]).toEqual([target, target]);
});

test('http: is allowed if insecure receivers are', () => {
  const targets = new Targets({ ...rules, allowInsecure: true }, []);
  expect(targets.of('http://127.0.0.1:9/x')).toEqual({ origin: 'http://127.0.0.1:9', path: '/x' });
});
