import { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { allowedAddresses, makeDial, ownListeners } from '../../src/delivery/dial.ts';
import type { Lookup } from '../../src/delivery/dial.ts';
import { parseNetworks, noNetworks } from '../../src/rules/address.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { closeAfterEach } from '../support/closing.ts';
import { makePoster, nextTurn, plain, postTo, receiver, signal } from './receivers.ts';
import type { Receiver } from './receivers.ts';

const closeLater = closeAfterEach();

async function listening(): Promise<Receiver> {
  const made = await receiver(plain('200 OK'));
  closeLater(() => made.close());
  return made;
}

function poster(options: Parameters<typeof makePoster>[0]) {
  const made = makePoster(options);
  closeLater(() => made.poster.close());
  return made;
}

/** Answers one after another, the last one repeatedly, and counts. */
function scripted(...answers: string[][]): Lookup & { calls: string[] } {
  const calls: string[] = [];
  const lookup = async (hostname: string) => {
    calls.push(hostname);
    const answer = answers[Math.min(calls.length, answers.length) - 1];
    if (answer === undefined) throw new Error('ENOTFOUND');
    return answer;
  };
  return Object.assign(lookup, { calls });
}

/** This process listens nowhere. */
const rules = (networks = noNetworks) => ({
  allowInsecure: false,
  networks,
  own: ownListeners([]),
});
const strict = rules();

describe('the address that was checked is the address that is dialled [faults: 58-60]', () => {
  test.each([
    ['a name that points to loopback (CNAME to localhost)', ['127.0.0.1'], 'blocked'],
    ['a mixed answer of public and private', ['93.184.216.34', '10.0.0.1'], 'blocked'],
    ['a mixed answer of public and mapped loopback', ['93.184.216.34', '::ffff:127.0.0.1'], 'blocked'],
    ['an answer that is no address', ['93.184.216.34', 'receiver'], 'blocked'],
    ['an empty answer', [], 'dns_error'],
  ])('%s is refused; only our log knows why', async (_, answer, cause) => {
    const target = await listening();
    const { poster: posts } = poster({ allowInsecure: false, lookup: scripted(answer) });

    const result = await posts.post(postTo(`https://receiver.test:${target.port}/`));

    expect(result).toEqual({ ok: false, status: null, reason: 'no_address', cause });
    expect(target.connections).toBe(0);
  });

  test('an unknown host name is reported like any dead endpoint', async () => {
    const { poster: posts } = poster({ allowInsecure: false, lookup: scripted() });

    expect(await posts.post(postTo('https://receiver.test/'))).toEqual({
      ok: false,
      status: null,
      reason: 'no_address',
      cause: 'dns_error',
    });
  });

  test('rebinding, first public, then 127.0.0.1: one look-up per connection, and the second answer is refused', async () => {
    const names = scripted(['93.184.216.34'], ['127.0.0.1']);
    const first: unknown = await allowedAddresses(names, 'receiver.test', strict);
    const second = await allowedAddresses(names, 'receiver.test', strict).catch((error: unknown) => error);

    expect(first).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(second).toMatchObject({ code: 'blocked' });
    expect(names.calls.length).toBe(2);
  });

  test('an attempt makes one look-up and dials its result', async () => {
    const target = await listening();
    const names = scripted(['127.0.0.1'], ['127.0.0.99']);
    const { poster: posts } = poster({ lookup: names });

    const result = await posts.post(postTo(`http://receiver.test:${target.port}/`));

    expect(result).toEqual({ ok: true, status: 200 });
    expect(names.calls).toEqual(['receiver.test']);
  });
});

describe('literal addresses [faults: 61]', () => {
  test.each(['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:7f00:1]', '10.1.2.3', '169.254.169.254'])(
    'https://%s is refused without a look-up',
    async (host) => {
      const names = scripted(['93.184.216.34']);
      const { poster: posts } = poster({ allowInsecure: false, lookup: names });

      const result = await posts.post(postTo(`https://${host}:9/`));

      expect(result.ok).toBe(false);
      expect(names.calls).toEqual([]);
    },
  );

  test.each([
    ['93.184.216.34', [], ['93.184.216.34']],
    ['10.1.2.3', ['blocked'], []],
    ['::1', ['blocked'], []],
  ])('dialling %s is checked again at the moment of dialling', async (hostname, refused, dialled) => {
    const hosts: string[] = [];
    const { fired, fire } = signal<string | undefined>();
    const open = (address: string): Socket => {
      hosts.push(address);
      const socket = new Socket();
      queueMicrotask(() => socket.emit('connect'));
      return socket;
    };
    const lookup = scripted();
    const dial = makeDial({ lookup, rules: strict, clock: systemClock, timeoutMs: 5_000, open });

    dial({ hostname, port: 443 }, (error) => fire(error?.message));
    const message = await fired;

    expect([message === undefined ? [] : [message], hosts]).toEqual([refused, dialled]);
    expect(lookup.calls).toEqual([]);
  });

  test('http: is refused unless insecure receivers are allowed', async () => {
    const { poster: posts } = poster({ allowInsecure: false, lookup: scripted(['93.184.216.34']) });

    expect(await posts.post(postTo('http://receiver.test/'))).toEqual({
      ok: false,
      status: null,
      reason: 'url',
    });
  });
});

describe('reused connections do not outlive the check [faults: 59]', () => {
  test('the name is looked up again once the connections are 60 s old', async () => {
    const target = await listening();
    const names = scripted(['127.0.0.1'], ['127.0.0.1'], []);
    let skewMs = 0;
    const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skewMs };
    const { poster: posts } = poster({ lookup: names, clock });
    const url = `http://receiver.test:${target.port}/`;
    const post = async () => {
      const { ok } = await posts.post(postTo(url));
      await nextTurn();
      return ok;
    };

    const fresh = [await post(), await post()];
    skewMs = 60_001;
    const older = [await post(), await post()];
    skewMs = 120_002;
    const moved = await post();

    expect({ fresh, older, moved }).toEqual({ fresh: [true, true], older: [true, true], moved: false });
    expect(names.calls.length).toBe(3);
    expect(target.connections).toBe(2);
  });

  test('at most 1,024 origins are kept, the least recently used is evicted', async () => {
    const target = await listening();
    const names = scripted(['127.0.0.1']);
    const { poster: posts } = poster({ lookup: names });
    const post = (host: number) => posts.post(postTo(`http://host-${host}.test:${target.port}/`));
    for (let host = 0; host < 1_024; host += 1) await post(host);
    await post(0);

    await post(1_024);
    const asked = names.calls.length;
    await post(0);
    await post(1);

    expect(names.calls.slice(asked)).toEqual(['host-1.test']);
  });
});

describe('WEBHOOK_ALLOW_CIDRS [operator-interface §2]', () => {
  const networks = parseNetworks(['10.1.0.0/16', '127.0.0.0/8', '0.0.0.0/0', 'fd00::/8', '::/0']);
  const narrow = parseNetworks(['10.1.0.0/16', 'fd00::/8']);

  test.each([
    ['10.1.2.3', true],
    ['10.2.2.3', false],
    ['fd12::1', true],
    ['fc00::1', false],
    ['::ffff:10.1.2.3', false],
    ['127.0.0.1', false],
    ['8.8.8.8', true],
  ])('a name that resolves to %s: dialled: %s', async (address, isDialled) => {
    const dialled = allowedAddresses(scripted([address]), 'receiver.corp', rules(narrow)).then(
      () => true,
      () => false,
    );
    expect(await dialled).toBe(isDialled);
  });

  test.each([
    '127.0.0.1',
    '0.0.0.0',
    '::1',
    '::',
    '169.254.169.254',
    'fe80::1',
    '224.0.0.1',
    '255.255.255.255',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('even a network that includes everything does not admit %s', async (address) => {
    const found = allowedAddresses(scripted([address]), 'receiver.test', rules(networks));
    await expect(found).rejects.toMatchObject({ code: 'blocked' });
  });

  test('one address outside of them refuses all', async () => {
    const found = allowedAddresses(scripted(['10.1.2.3', '10.2.2.3']), 'receiver.corp', rules(narrow));
    await expect(found).rejects.toMatchObject({ code: 'blocked' });
  });
});

describe('our own listeners are never receivers [faults: 90]', () => {
  test('a connection to one of our ports is closed before a byte is written, whatever its name', async () => {
    const target = await listening();
    const { poster: posts } = poster({
      lookup: scripted(['127.0.0.1']),
      ownPorts: [target.port],
    });
    const result = await posts.post(postTo(`http://receiver.test:${target.port}/`));
    expect(result).toEqual({ ok: false, status: null, reason: 'no_address', cause: 'blocked' });
  });

  test('a connection whose address cannot be judged is closed; nothing is thrown in the callback [faults: 282]', async () => {
    const target = await listening();
    const { fired, fire } = signal<unknown>();
    // As under systemd without AF_NETLINK, where Node's networkInterfaces throws.
    const unreadable = {
      has: (): boolean => {
        throw new Error('uv_interface_addresses returned Unknown system error 97');
      },
    };
    const own = { allowInsecure: true, networks: noNetworks, own: unreadable };
    const dial = makeDial({ lookup: scripted(), rules: own, clock: systemClock, timeoutMs: 5_000 });
    dial({ hostname: '127.0.0.1', port: target.port }, (error) => fire(error));
    expect(await fired).toMatchObject({ code: 'blocked' });
  });

  test.each([
    ['127.0.0.1', 3000, true],
    ['127.8.9.10', 3000, true],
    ['::1', 3000, true],
    ['::ffff:127.0.0.1', 3000, true],
    ['127.0.0.1', 3001, false],
    ['93.184.216.34', 3000, false],
    [undefined, undefined, false],
  ])('%s:%s is ours: %s', (address, port, isOurs) => {
    expect(ownListeners([3000]).has(address, port)).toBe(isOurs);
  });

  test('every address of this machine is ours', () => {
    const own = ownListeners([3000]);
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    expect(addresses.filter(({ address }) => !own.has(address, 3000))).toEqual([]);
  });
});
