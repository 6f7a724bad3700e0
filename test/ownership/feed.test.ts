/** [architecture §8] Which peers get an event of the live feed over their links, and when a node tells them that it has subscribers. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Feed } from '../../src/ownership/feed.ts';
import type { Frame } from '../../src/ownership/wire.ts';

/** The local end of a link to a peer. */
class Peer {
  readonly sent: Frame[] = [];
  /** Frames with their stated sizes in bytes. */
  readonly offered: [Frame, number][] = [];

  send(frame: Frame): void {
    this.sent.push(frame);
  }

  offer(frame: Frame, bytes: number): void {
    this.offered.push([frame, bytes]);
  }
}

class Peers {
  readonly #open = new Map<string, Peer>();
  changes = 0;
  readonly broadcasts: Frame[] = [];

  link(incarnation: string): Peer {
    const peer = new Peer();
    this.#open.set(incarnation, peer);
    this.changes += 1;
    return peer;
  }

  close(incarnation: string): void {
    this.#open.delete(incarnation);
    this.changes += 1;
  }

  open(): Peer[] {
    return [...this.#open.values()];
  }

  get(incarnation: string): Peer | undefined {
    return this.#open.get(incarnation);
  }

  broadcast(frame: Frame): void {
    this.broadcasts.push(frame);
  }
}

let peers: Peers;
let feed: Feed;
beforeEach(() => {
  peers = new Peers();
  feed = new Feed(peers);
});
const viaRedis = { f: 'listens', way: 'redis' } as const;
const viaLinks = { f: 'listens', way: 'links' } as const;
const both = () => [feed.hasSubscribers('any'), feed.hasSubscribers('links')];

describe('this node', () => {
  test('tells its peers that it has subscribers, once for each way of delivery', () => {
    feed.subscribe('redis');
    feed.subscribe('redis');
    feed.subscribe('links');
    expect(peers.broadcasts).toEqual([viaRedis, viaLinks]);
  });

  test('tells a peer that is linked later how it gets events at that time', () => {
    const early = peers.link('early');
    feed.linked('early');
    feed.subscribe('links');
    const late = peers.link('late');
    feed.linked('late');
    feed.linked('gone already');
    expect([early.sent, late.sent]).toEqual([[], [viaLinks]]);
  });

  test('receives an event unchanged', () => {
    const heard: unknown[] = [];
    feed.receive(peers.link('peer'), { f: 'event', channel: 'before', packet: '' });
    feed.onEvent((channel, packet) => void heard.push([channel, Buffer.from(packet).toString()]));
    const packet = Buffer.from('a packet').toString('base64');
    feed.receive(peers.link('peer'), { f: 'event', channel: 'account-1', packet });
    expect(heard).toEqual([['account-1', 'a packet']]);
  });
});

test('a single node has no peer with subscribers', () => {
  expect(both()).toEqual([false, false]);
});

describe('a peer', () => {
  test.each([
    ['without subscribers', null, [false, false]],
    ['that hears Redis', viaRedis, [true, false]],
    ['that can not hear Redis', viaLinks, [true, true]],
  ])('%s counts as: %j', (_words, says, counts) => {
    const peer = peers.link('peer');
    if (says !== null) feed.receive(peer, says);
    expect(both()).toEqual(counts);
  });

  test('whose link has closed counts no more, and has to subscribe again on the next link', () => {
    feed.receive(peers.link('peer'), viaLinks);
    peers.close('peer');
    expect(both()).toEqual([false, false]);
    peers.link('peer');
    expect(both()).toEqual([false, false]);
  });

  test('that subscribed before its link was registered counts with the others', () => {
    feed.receive(peers.link('one'), viaRedis);
    feed.receive(peers.link('two'), viaLinks);
    expect(both()).toEqual([true, true]);
    peers.close('two');
    expect(both()).toEqual([true, false]);
  });

  test('that cannot reach Redis is repeated what Redis did not accept, each time it subscribes', () => {
    let repeats = 0;
    const peer = peers.link('peer');
    feed.receive(peer, viaLinks);
    feed.onPeerWithoutRedis(() => void (repeats += 1));
    feed.receive(peer, viaRedis);
    expect(repeats).toBe(0);
    feed.receive(peer, viaLinks);
    expect(repeats).toBe(1);
  });
});

describe('an event', () => {
  const packet = Buffer.from('a packet');
  const frame = { f: 'event', channel: 'account-1', packet: packet.toString('base64') };
  const offered = [[frame, frame.packet.length]];

  test('goes over the links to every peer with subscribers', () => {
    const [silent, one, two] = [peers.link('silent'), peers.link('one'), peers.link('two')];
    feed.receive(one, viaRedis);
    feed.receive(two, viaLinks);
    feed.publish('any', 'account-1', packet);
    expect([silent.offered, one.offered, two.offered]).toEqual([[], offered, offered]);
  });

  test('that Redis delivers goes only to the peers that cannot reach Redis', () => {
    const [one, two] = [peers.link('one'), peers.link('two')];
    feed.receive(one, viaRedis);
    feed.receive(two, viaLinks);
    feed.publish('links', 'account-1', packet);
    expect([one.offered, two.offered]).toEqual([[], offered]);
  });

  test('may be dropped for a peer that reads too slowly: it is offered, not sent', () => {
    const peer = peers.link('peer');
    feed.receive(peer, viaLinks);
    feed.publish('any', 'account-1', packet);
    expect([peer.sent, peer.offered]).toEqual([[], offered]);
  });
});
