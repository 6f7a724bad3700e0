/** [architecture §4] The owners of channels that a node remembers. */
import { expect, test } from '@jest/globals';
import { Directory } from '../../src/ownership/directory.ts';

const channels = ['channel-1', 'channel-2', 'channel-3'];

function remembering(): Directory {
  const directory = new Directory();
  directory.remember('channel-1', 'self:1');
  directory.remember('channel-2', 'other:1');
  directory.remember('channel-3', 'other:1');
  return directory;
}

const ownersIn = (directory: Directory) => channels.map((channelId) => directory.remembered(channelId));

test('remembers the last owner that it was told of', () => {
  const directory = remembering();
  directory.remember('channel-1', 'other:1');
  expect([...ownersIn(directory), directory.remembered('channel-4')]).toEqual([
    'other:1',
    'other:1',
    'other:1',
    undefined,
  ]);
});

test('forgets what is evicted: a channel, or all of an owner', () => {
  const directory = remembering();
  directory.evict('channel-3');
  expect(ownersIn(directory)).toEqual(['self:1', 'other:1', undefined]);
  directory.evictOwner('other:1');
  expect(ownersIn(directory)).toEqual(['self:1', undefined, undefined]);
});
