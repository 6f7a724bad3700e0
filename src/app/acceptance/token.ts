/** What upstream shows of the channel's token, through the service's own check, and where files come from. */
import { asList, asRecord, textIn } from '../../kernel/json.ts';
import { record, skip, type Run } from './run.ts';
import { shapeOfHost } from './shape.ts';

const counter = 'media_hosts_total';

/** Records the names of the token's permissions as the service words them. */
export async function describeToken(run: Run): Promise<void> {
  const settles = run.channelType === 'chatapp' ? 'U3' : null;
  const { body } = await run.service.admin('GET', `/admin/v1/upstream?channel_id=${run.channelId}`);
  const about = `token of ${run.channelType} ${run.channelId}`;
  const lines = asList(asRecord(body)?.['checks']);
  const line = lines.find((each) => textIn(each, 'about') === about);
  const says = line === undefined ? null : textIn(line, 'says');
  if (says === null) skip(run, 'permissions of the token', settles);
  else record(run, 'permissions of the token', settles, says.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, '<time>'));
}

/** The hosts of files that were fetched since `before`, of any channel of this node. Names of hosts are no content. */
export async function recordHosts(run: Run, before: ReadonlyMap<string, number> | null): Promise<void> {
  const settles = run.channelType === 'chatapp' ? 'U13' : 'pages 9';
  const now = await run.service.metric(counter);
  const hosts = [...(now ?? [])]
    .filter(([host, count]) => count > (before?.get(host) ?? 0))
    .map(([host]) => shapeOfHost(host));
  if (hosts.length === 0) skip(run, 'hosts of files', settles);
  else record(run, 'hosts of files', settles, [...new Set(hosts)].toSorted().join(', '));
}

export function countHosts({ service }: Pick<Run, 'service'>): Promise<Map<string, number> | null> {
  return service.metric(counter);
}
