import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { listening as listeningOn } from '../../support/ports.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { builtFile } from '../../support/built.ts';
import { plain, receiver } from '../../delivery/receivers.ts';
import { fault } from '../../../src/kernel/faults.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { envelope, eventOf, liveServer, missedOf, signaturesAs } from './support.ts';

const closeLater = closeAfterEach();

/** The command as a process; `line` waits for the next line that it prints. */
function run(...args: string[]) {
  const child = spawn(process.execPath, [builtFile('src/app/listen-cli.js'), ...args], {
    env: { ...process.env },
  });
  const exit = once(child, 'exit').then(([code]: unknown[]) => code);
  closeLater(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return {
    line: async (): Promise<unknown> => (await lines.next()).value,
    interrupt: () => child.kill('SIGINT'),
    end: async () => ({ code: await exit, errors }),
  };
}

async function service(options: Parameters<typeof liveServer>[0] = {}) {
  const made = await liveServer(options);
  closeLater(made.close);
  return made;
}

async function listening(head = '200 OK') {
  const made = await receiver(plain(head));
  closeLater(() => made.close());
  return made;
}

describe('npm run listen [operator-interface §1]', () => {
  test('--help lists the options', async () => {
    const command = run('--help');
    expect(await command.line()).toMatch(/^Usage: npm run listen -- --key KEY/);
    expect(await command.end()).toEqual({ code: 0, errors: '' });
  });

  test('forwards each event like a real delivery, signed, and ends cleanly on Ctrl-C', async () => {
    const clock = { ...systemClock, wall: () => 1_700_000_000_999 };
    const { url, feed } = await service({ clock });
    const target = await listening();
    const command = run('--key', 'key-a', '--forward-to', target.url, '--url', url);
    expect(await command.line()).toBe(
      `Connected to ${url}; events are forwarded to ${target.url}. Stop with Ctrl-C.`,
    );

    feed.publish('account-b', eventOf('foreign'));
    feed.publish('account-a', eventOf('m1', 'sha256=of-the-channel'));
    feed.publish('account-a', eventOf('m1', 'sha256=of-the-channel')); // a redelivery
    const line = await command.line();
    command.interrupt();

    expect(line).toMatch(/^message\.received channel-1 → 200 \(\d+ ms\)$/);
    expect(await command.end()).toEqual({ code: 0, errors: '' });
    const body = JSON.stringify(envelope('m1'));
    const [head, sent] = String(target.requests[0]).split('\r\n\r\n');
    expect([target.requests.length, sent]).toEqual([1, body]);
    expect(head).toContain('X-Webhook-Signature: sha256=of-the-channel');
    expect(head).toMatch(/X-Webhook-Id: delivery of m1\r\nX-Webhook-Attempt: 1\r\nX-Webhook-Timestamp: \d+/);
    // The time that the service signed, not the one of forwarding.
    expect(head).toContain('webhook-id: delivery of m1\r\nwebhook-timestamp: 1700000000\r\n');
    expect(head).toContain('webhook-signature: v1,sha256=of-the-channel\r\n');
  });

  test('after a lost connection each event comes once: forwarded while it is pending, only reported once it has ended', async () => {
    const first = await liveServer();
    const target = await listening();
    const command = run('--key', 'key-a', '--forward-to', target.url, '--url', first.url);
    await command.line();
    first.feed.publish('account-a', eventOf('m1', 'sha256=one'));
    expect(await command.line()).toMatch(/^message\.received channel-1 → 200/);

    await first.close();
    expect(await command.line()).toBe('Connection lost; reconnecting.');
    const asked: number[] = [];
    const content = (id: string) => ({ envelope: envelope(id), signatures: signaturesAs('sha256=again') });
    const second = await liveServer({
      port: first.port,
      async *missed(_, since) {
        asked.push(since);
        yield [missedOf('m1', content('m1')), missedOf('m2', content('m2')), missedOf('m3')];
      },
    });
    closeLater(second.close);

    const lines = [await command.line(), await command.line(), await command.line()].map(String).toSorted();
    expect(lines).toEqual([
      'Reconnected; missed events: 1 forwarded now, 1 with erased content not forwarded.',
      'message.received channel-1 was delivered meanwhile: its content is erased, so it is not forwarded',
      expect.stringMatching(/^message\.received channel-1 → 200/),
    ]);
    expect(target.requests.map((each) => each.split('\r\n\r\n')[1])).toEqual(
      ['m1', 'm2'].map((id) => JSON.stringify(envelope(id))),
    );
    expect(asked).toHaveLength(1);
    command.interrupt();
    expect(await command.end()).toEqual({ code: 0, errors: '' });
  });

  test.each(['unavailable', 'too_many'])(
    'after a lost connection a service that is %s for a while is asked again [faults: 538]',
    async (refusal) => {
      const first = await liveServer();
      const target = await listening();
      const command = run('--key', 'key-a', '--forward-to', target.url, '--url', first.url);
      await command.line();
      first.feed.publish('account-a', eventOf('m1'));
      await command.line();
      await first.close();
      expect(await command.line()).toBe('Connection lost; reconnecting.');
      let tries = 0;
      const second = await liveServer({
        port: first.port,
        async admit() {
          tries += 1;
          if (tries > 1) return { accountId: 'account-a', mayRead: true };
          throw refusal === 'too_many' ? fault('rate_limited') : new Error('the store is away');
        },
      });
      closeLater(second.close);

      expect(await command.line()).toBe('Reconnected; no event was missed.');
      expect(tries).toBe(2);
    },
  );

  test('forwards a few at a time, in the order of the feed, so that a burst does not flood the local program', async () => {
    const { url, feed } = await service();
    const arrived: string[] = [];
    let most = 0;
    const open: ServerResponse[] = [];
    const target = createServer((request, response) => {
      open.push(response);
      most = Math.max(most, open.length);
      request.on('data', (body: Buffer) => arrived.push(JSON.parse(body.toString()).data.message_id));
      // A turn later, when every request sent at once has arrived.
      request.on('end', () => setImmediate(() => open.splice(open.indexOf(response), 1)[0]?.end()));
    });
    closeLater(() => target.close());
    const port = await listeningOn(target);
    const command = run('--key', 'key-a', '--forward-to', `http://127.0.0.1:${port}/`, '--url', url);
    await command.line();
    const ids = Array.from({ length: 300 }, (_, n) => `m${n}`);
    for (const id of ids) feed.publish('account-a', eventOf(id));
    for (let line = 0; line < ids.length; line += 1) await command.line();
    expect(most).toBeLessThanOrEqual(8);
    expect(arrived.toSorted()).toEqual(ids.toSorted());
    const late = arrived.map((id, n) => n - Number(id.slice(1)));
    expect(Math.max(...late.map(Math.abs))).toBeLessThanOrEqual(8);
  });

  test("reads the key from the environment; an unsigned channel stays unsigned; prints the receiver's status", async () => {
    const { url, feed } = await service();
    const target = await listening('500 Oops');
    process.env['TRUNKLINE_API_KEY'] = 'key-a';
    const command = run('--forward-to', target.url, '--url', url);
    delete process.env['TRUNKLINE_API_KEY'];
    await command.line();

    feed.publish('account-a', eventOf('m1'));

    expect(await command.line()).toMatch(/^message\.received channel-1 → failed with status 500 \(\d+ ms\)$/);
    expect(target.requests[0]).not.toMatch(/webhook-signature/i);
    expect(target.requests[0]).toMatch(/\r\nwebhook-timestamp: \d{10}\r\n/);
  });

  test('a wrong key is reported', async () => {
    const { url } = await service();

    const command = run('--key', 'key-c', '--forward-to', 'http://localhost:9/', '--url', url);

    expect(await command.end()).toEqual({ code: 1, errors: `${url} does not accept this API key.\n` });
  });

  test('an unreachable service is reported', async () => {
    const made = await liveServer();
    await made.close();

    const command = run('--key', 'key-a', '--forward-to', 'http://localhost:9/', '--url', made.url);

    expect(await command.end()).toEqual({
      code: 1,
      errors: `No answer from ${made.url}. Does the service run there? If not, give its address with --url.\n`,
    });
  });

  test.each([
    [[], /^Usage: npm run listen/],
    [['--key', 'k', '--forward-to', 'nowhere'], /^--forward-to must be a valid [^\n]*\n$/],
    [
      ['--key', 'k', '--forward-to', 'http://localhost:9/', '--url', 'x'],
      /^--url must be an http: or https: URL\n$/,
    ],
  ])('an invalid command line (%j) is explained', async (args, sentence) => {
    const { code, errors } = await run(...args).end();

    expect(code).toBe(2);
    expect(errors).toMatch(sentence);
  });
});
