/** [operator-interface §2 SMTP_URL; architecture §8] Mails leave the outbox as jobs of the queue, each once. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { smtpServer } from '../features/mails/smtp-server.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { newPerson } from '../support/sends.ts';
import { bootSimulator, environment, spawnService } from '../support/service.ts';
import { contractWorld } from '../support/upstream-app.ts';
import { newBusiness } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { newAccount, World } from '../support/world.ts';
import type { Account } from '../support/world.ts';

jest.setTimeout(120_000);

type Smtp = Awaited<ReturnType<typeof smtpServer>>;

/** An account with an unreachable receiver: its owner gets a warning, then an alert. */
async function accountWithTwoMails(world: World): Promise<Account> {
  const account = await newAccount(world.service);
  const { pages } = await newBusiness(world.simulator);
  const page = pages[0]?.id ?? '';
  await world.connect(account, 'pagechat', { upstream: page, webhookUrl: 'http://127.0.0.1:1/closed' });
  await world.simulator.control('people/write', {
    channel: page,
    from: newPerson('pagechat'),
    text: 'hello',
  });
  return account;
}

/** The kinds of the account's mails, once both are sent. */
async function sentMails(world: World, { accountId }: Account): Promise<string[]> {
  return until(
    'both mails sent',
    async () => {
      const { body } = await world.service.admin('GET', `/mails?account_id=${accountId}`);
      const sent = body.mails.filter((mail: { sent_at: string | null }) => mail.sent_at !== null);
      return sent.length >= 2 ? sent.map((mail: { kind: string }) => mail.kind).toSorted() : null;
    },
    60_000,
  );
}

const receivers = (smtp: Smtp): string[] => smtp.mails.flatMap(({ to }) => to);

test('on one node, a due mail reaches the mail server once, and the outbox has its time', async () => {
  const smtp = await smtpServer();
  const world = await World.open({ DIGEST_INTERVAL_MS: '50', SMTP_URL: smtp.url });
  try {
    const account = await accountWithTwoMails(world);
    expect(await sentMails(world, account)).toEqual(['webhook-alert', 'webhook-warning']);
    expect(receivers(smtp).length).toBe(2);
    expect(new Set(receivers(smtp)).size).toBe(1);
  } finally {
    await world.close();
    await smtp.close();
  }
});

test('without a mail server, the log shows each mail as it is stored', async () => {
  const simulator = await bootSimulator(contractWorld);
  const service = await spawnService(await environment(simulator.url, { LOG_LEVEL: 'info' }));
  const world = await World.of(service, simulator);
  try {
    const account = await accountWithTwoMails(world);
    const shown = await until('both mails in the log', () => {
      const lines = service.lines.filter((line) => line.includes('"mail.stored"'));
      return lines.length >= 2 ? lines.map((line) => JSON.parse(line)) : null;
    });
    const { body } = await service.admin('GET', `/mails?account_id=${account.accountId}`);
    const stored = body.mails.map(({ id, kind, subject }: Record<string, string>) => ({
      msg: 'mail.stored',
      mail: id,
      account: account.accountId,
      kind,
      subject,
    }));
    expect(shown).toHaveLength(2);
    expect(shown).toEqual(
      expect.arrayContaining(stored.map((mail: object) => expect.objectContaining(mail))),
    );
  } finally {
    await world.close();
  }
});

describeCluster('mails of a cluster', (source) => {
  let cluster: ServiceCluster;
  let smtp: Smtp;
  beforeAll(async () => {
    smtp = await smtpServer();
    const env = { DIGEST_INTERVAL_MS: '50', SMTP_URL: smtp.url };
    cluster = await ServiceCluster.start(source, { nodes: 2, env });
  }, clusterHookMs);
  afterAll(async () => {
    await cluster.close();
    await smtp.close();
  });

  test('each mail is sent by one node only', async () => {
    const account = await accountWithTwoMails(cluster.world);
    expect(await sentMails(cluster.world, account)).toEqual(['webhook-alert', 'webhook-warning']);
    expect(receivers(smtp).length).toBe(2);
  });

  test('a Redis that restarts empty loses jobs but no mail', async () => {
    const account = await accountWithTwoMails(cluster.world);
    await cluster.redis.restart('empty');
    expect(await sentMails(cluster.world, account)).toEqual(['webhook-alert', 'webhook-warning']);
  });
});
