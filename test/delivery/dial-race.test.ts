/** The contract's time limit belongs to the attempt, not to each address of a receiver. [RFC 8305; faults: 283] */
import { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { inTurn, Race } from '../../src/delivery/dial-race.ts';
import { guardedConnector, makeDial, ownListeners } from '../../src/delivery/dial.ts';
import { noNetworks } from '../../src/rules/address.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { nextTurn } from './receivers.ts';

/** A race over sockets that connect or fail when the test says so. */
function race(...addresses: string[]) {
  const clock = new FakeClock();
  const sockets = new Map<string, Socket>();
  const results: unknown[] = [];
  const open = (address: string): Socket => {
    const socket = new Socket();
    sockets.set(address, socket);
    return socket;
  };
  const started = new Race(addresses, { port: 443, clock, open }, (error, socket) =>
    results.push(error?.message ?? [...sockets].find(([, one]) => one === socket)?.[0]),
  );
  started.start();
  return {
    clock,
    results,
    dialled: () => [...sockets.keys()],
    dropped: () => [...sockets].filter(([, socket]) => socket.destroyed).map(([address]) => address),
    connects: (address: string) => sockets.get(address)?.emit('connect'),
    fails: (address: string, why: string) => sockets.get(address)?.emit('error', new Error(why)),
    stop: () => started.stop(new Error('late')),
  };
}

describe('addresses are raced', () => {
  test('a slow address is not dropped when the next one is dialled', () => {
    const { clock, dialled, connects, dropped, results } = race('slow', 'dead');
    expect(dialled()).toEqual(['slow']);
    clock.advance(250);
    expect([dialled(), dropped()]).toEqual([['slow', 'dead'], []]);
    clock.advance(4_000);
    connects('slow');
    expect([results, dropped()]).toEqual([['slow'], ['dead']]);
  });

  test('an address that fails is followed at once; the last error is told', () => {
    const { dialled, fails, results } = race('a', 'b');
    fails('a', 'unreachable');
    expect([dialled(), results]).toEqual([['a', 'b'], []]);
    fails('b', 'refused');
    expect(results).toEqual(['refused']);
  });

  test('the last address to fail decides only when none is under way', () => {
    const { clock, fails, connects, results } = race('slow', 'dead');
    clock.advance(250);
    fails('dead', 'unreachable');
    expect(results).toEqual([]);
    connects('slow');
    expect(results).toEqual(['slow']);
  });

  test('the end is told once, whatever the sockets do then', () => {
    const { clock, connects, fails, stop, dialled, results } = race('a', 'b', 'c');
    clock.advance(250);
    connects('a');
    connects('b');
    fails('a', 'reset');
    stop();
    clock.advance(5_000);
    expect([results, dialled()]).toEqual([['a'], ['a', 'b']]);
  });

  test('families take turns, and at most six addresses are dialled', () => {
    const of = (family: number, ...addresses: string[]) => addresses.map((address) => ({ address, family }));
    expect(inTurn([...of(4, 'a', 'b'), ...of(6, 'x')])).toEqual(['a', 'x', 'b']);
    expect(inTurn(of(4, ...'abcdefgh'.split('')))).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(inTurn([])).toEqual([]);
  });
});

describe('one time limit covers look-up and all addresses', () => {
  const rules = { allowInsecure: true, networks: noNetworks, own: ownListeners([]) };

  test('it ends a race that nobody wins, and drops every socket', async () => {
    const clock = new FakeClock();
    const sockets: Socket[] = [];
    const open = (): Socket => {
      const socket = new Socket();
      sockets.push(socket);
      return socket;
    };
    const errors: unknown[] = [];
    const lookup = async () => ['192.0.2.1', '2001:db8::1'];
    const dial = makeDial({ lookup, rules, clock, timeoutMs: 5_000, open });
    dial({ hostname: 'receiver.test', port: 443 }, (error) => errors.push(error));
    await nextTurn();
    clock.advance(4_999);
    expect([errors, sockets.length]).toEqual([[], 2]);
    clock.advance(1);
    expect(errors).toMatchObject([{ code: 'ETIMEDOUT' }]);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  test('it ends a look-up that does not answer; a late answer dials nothing', async () => {
    const clock = new FakeClock();
    const answers: ((addresses: string[]) => void)[] = [];
    const lookup = () => new Promise<string[]>((resolve) => answers.push(resolve));
    const errors: unknown[] = [];
    const open = (): Socket => {
      throw new Error('dialled');
    };
    const dial = makeDial({ lookup, rules, clock, timeoutMs: 5_000, open });
    dial({ hostname: 'receiver.test', port: 443 }, (error) => errors.push(error));
    clock.advance(5_000);
    answers[0]?.(['192.0.2.1']);
    await nextTurn();
    expect(errors).toMatchObject([{ code: 'ETIMEDOUT' }]);
  });
});

describe('nothing that an address makes throw reaches the top of the process [faults: 335]', () => {
  test('an address that cannot be dialled, in the callback of a timer, fails like any other', async () => {
    const clock = new FakeClock();
    const results: unknown[] = [];
    const first = new Socket();
    const open = (address: string): Socket => {
      if (address === 'bad') throw new RangeError('no such port');
      return first;
    };
    new Race(['slow', 'bad'], { port: 443, clock, open }, (error) => results.push(error?.message)).start();
    clock.advance(250);
    await nextTurn();
    expect(results).toEqual([]);
    first.emit('error', new Error('reset'));
    expect(results).toEqual(['reset']);
  });

  test('TLS that cannot be begun, in the callback of a socket, is an error of the connection', () => {
    const results: unknown[] = [];
    const socket = new Socket();
    const connect = guardedConnector(
      () => {
        throw new TypeError('no server name');
      },
      (_, dialled) => dialled(null, socket),
    );
    const target = { hostname: 'receiver.test', host: 'receiver.test', protocol: 'https:', port: '443' };
    connect(target, (error, given) => results.push(error?.message, given));
    expect([results, socket.destroyed]).toEqual([['no server name', null], true]);
  });
});
