import { Resolver } from 'node:dns/promises';
import { expect, test } from '@jest/globals';
import { makeDnsLookup } from '../../src/delivery/dial.ts';
import { closeAfterEach } from '../support/closing.ts';
import { nameServer } from './name-servers.ts';

const closeLater = closeAfterEach();

test('name servers that replace others are asked from the next look-up on [faults: 522]', async () => {
  const [first, second] = [await nameServer('93.184.216.1'), await nameServer('93.184.216.2')];
  closeLater(() => second.close());
  let current = first;
  // As a resolver reads /etc/resolv.conf: once, when it is made.
  const lookup = makeDnsLookup(() => {
    const resolver = new Resolver({ timeout: 800, tries: 2 });
    resolver.setServers([current.address]);
    return resolver;
  });

  expect(await lookup('receiver.example.com')).toEqual(['93.184.216.1']);

  current = second;
  first.close();
  expect(await lookup('receiver.example.com')).toEqual(['93.184.216.2']);
});
