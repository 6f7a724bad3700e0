/** [spec: Additions, Endpoints; faults: 369] Which endpoint a delivery is for, in the list, its export and the page of one. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';
import { Inbox } from '../../support/inbox.ts';
import { sharedWorld } from '../../support/shared-world.ts';
import { addedEndpoint, visitedChannel } from './visited.ts';

const world = sharedWorld();
const list = '/portal/deliveries';

let owner: Visitor;
let all: string;
let channel: string;
let inbox: Inbox;
let one: { path: string; id: string };
let two: { path: string; id: string };
/** Ids of the deliveries. */
let [own, first, second]: string[] = [];
beforeAll(async () => {
  inbox = await Inbox.open();
  ({ owner, all } = await visitedChannel(world));
  channel = all.split('/')[3] ?? '';
  one = await addedEndpoint(owner, all, { url: inbox.url.replace('127.0.0.1', 'localhost') });
  two = await addedEndpoint(owner, all, { url: inbox.url });
  const posts = [`/portal/channels/${channel}/test`, `${one.path}/test`, `${two.path}/test`];
  const ids: string[] = [];
  for (const path of posts) {
    const { text } = await owner.post(path, { webhook_url: inbox.url });
    ids.push(/\/deliveries\/([0-9a-f-]{36})"/.exec(text)?.[1] ?? '');
  }
  [own, first, second] = ids;
});
afterAll(() => inbox.close());

/** The ids of the deliveries that are listed, newest first. */
const listed = async (query: string) =>
  [...(await owner.ask(`${list}?${query}`)).text.matchAll(/href="[^"]*\/deliveries\/([0-9a-f-]{36})"/g)].map(
    ([, id]) => id,
  );

test('the list of all names the endpoint of each', async () => {
  const { text } = await owner.ask(list);
  expect(await listed('')).toEqual([second, first, own]);
  expect(text).toMatch(/<th[^>]*>Endpoint</);
  const cells = [...text.matchAll(/>(localhost:\d+|127\.0\.0\.1:\d+|webhook)<\/(?:bdi|span)>/g)];
  expect(cells.map(([, cell]) => cell?.split(':')[0])).toEqual(['127.0.0.1', 'localhost', 'webhook']);
});

test('it is filtered by one; of a channel it has those to its webhook alone', async () => {
  expect(await listed(`channel=${channel}&endpoint=${one.id}`)).toEqual([first]);
  expect(await listed(`channel=${channel}&endpoint=${two.id}&state=delivered`)).toEqual([second]);
  expect(await listed(`channel=${channel}`)).toEqual([own]);
  const { text } = await owner.ask(`${list}?channel=${channel}&endpoint=${one.id}`);
  expect(text).toMatch(new RegExp(`<option value="${one.id}" selected[^>]*>`));
});

test('what is no id filters nothing; an endpoint of another account has no deliveries here', async () => {
  const other = await visitedChannel(world);
  const foreign = await addedEndpoint(other.owner, other.all, { url: inbox.url });
  expect(await listed(`channel=${channel}&endpoint=x`)).toEqual([own]);
  expect(await listed(`channel=${channel}&endpoint=${foreign.id}`)).toEqual([]);
  const stranger = await newVisitor(world);
  expect((await stranger.ask(`${list}?channel=${channel}&endpoint=${one.id}`)).status).toBe(404);
});

test('the export has its id', async () => {
  const { text } = await owner.ask(`${list}/export`);
  const [head, ...lines] = text.trim().split('\n');
  expect(head?.split(',').at(-1)).toBe('endpoint_id');
  expect(lines.map((line) => line.split(',').at(-1))).toEqual([two.id, one.id, '']);
  const ofOne = await owner.ask(`${list}/export?channel=${channel}&endpoint=${one.id}`);
  expect(ofOne.text.trim().split('\n')).toHaveLength(2);
});

test('the page of a delivery names it and leads to it and to its other deliveries', async () => {
  const { text } = await owner.ask(`/portal/channels/${channel}/deliveries/${first}`);
  expect(text).toContain(`<a href="${one.path}">localhost:`);
  expect(text).toContain(`${list}?channel=${channel}&amp;endpoint=${one.id}`);
  const ofOwn = (await owner.ask(`/portal/channels/${channel}/deliveries/${own}`)).text;
  expect(ofOwn).not.toContain('<dt>Endpoint</dt>');
});

test('a replay that is asked for from the list of one is of that one', async () => {
  const { text } = await owner.ask(`${list}?channel=${channel}&endpoint=${one.id}`);
  expect(text).toContain(`<input type="hidden" name="endpoint" value="${one.id}"/>`);
  const query = `replay-channel=${channel}&endpoint=${one.id}&since=2026-01-01T00:00`;
  expect((await owner.ask(`${list}/replay?${query}`)).status).toBe(200);
  for (const wrong of [query.replace(one.id, '..'), query.replace(channel, '')])
    expect((await owner.ask(`${list}/replay?${wrong}`)).status).toBe(404);
});

test('deliveries of one that was removed stay, and can be filtered by', async () => {
  const gone = await addedEndpoint(owner, all, { url: inbox.url });
  const { text } = await owner.post(`${gone.path}/test`);
  const [, id] = /\/deliveries\/([0-9a-f-]{36})"/.exec(text) ?? [];
  await owner.post(`${gone.path}/remove`);
  expect(await listed(`channel=${channel}&endpoint=${gone.id}`)).toEqual([id]);
  expect((await owner.ask(list)).text).toContain('>removed</span>');
  const page = await owner.ask(`/portal/channels/${channel}/deliveries/${id}`);
  expect(page.text).toContain('<dt>Endpoint</dt><dd>removed</dd>');
});
