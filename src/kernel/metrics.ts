/**
 * Every metric of the service. Counters end in `_total`, durations are in seconds, and each label has few values: words of this project and
 * names of routes and jobs, never an id or text from outside. A metric must have a row here before it can be recorded. [faults: I10, I11]
 */
interface MetricRow {
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels?: readonly string[];
  /** Upper bounds of a histogram's buckets, in seconds. */
  bounds?: readonly number[];
  /** A gauge that several actors of a node report: the highest value counts, not the sum. */
  isHighest?: true;
}

/** A call ends by its time-out; an event that is retried takes up to half an hour. */
const eventSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_200, 3_600];

export const metricTable = {
  http_requests_total: {
    kind: 'counter',
    help: 'Requests answered',
    labels: ['route', 'status'],
  },
  http_request_seconds: {
    kind: 'histogram',
    help: 'From the last header to the end of the answer',
    labels: ['route'],
  },
  sends_recorded_total: { kind: 'counter', help: 'Recorded steps of sends', labels: ['outcome'] },
  sends_settled_total: { kind: 'counter', help: 'Sends whose owner vanished, answered from the store' },
  sends_open: { kind: 'gauge', help: 'Unfinished sends of this node' },
  sends_waiting: { kind: 'gauge', help: 'Sends that are not claimed yet' },
  sends_oldest_open_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest unfinished send of this node',
    isHighest: true,
  },
  channels_paused: { kind: 'gauge', help: 'Channels that upstream has paused' },
  upstream_sends_total: {
    kind: 'counter',
    help: 'Send calls, by outcome',
    labels: ['channel_type', 'outcome'],
  },
  upstream_send_seconds: { kind: 'histogram', help: 'Send calls', labels: ['channel_type'] },
  upstream_calls_total: {
    kind: 'counter',
    help: 'Every call to upstream, by class of its answer',
    labels: ['answer'],
  },
  upstream_call_seconds: { kind: 'histogram', help: 'Every call to upstream' },
  upstream_app_refused_total: {
    kind: 'counter',
    help: 'Calls in which upstream refused the app itself: its secret (proof), or its id',
    labels: ['reason'],
  },
  app_webhooks_checks_total: {
    kind: 'counter',
    help: "Looks at the app's own webhook subscriptions, by what was found",
    labels: ['outcome'],
  },
  app_webhooks_wrong: {
    kind: 'gauge',
    help: "Kinds of channels that hear nothing, because the app's webhooks are missing or go elsewhere",
    isHighest: true,
  },
  upstream_posts_refused_total: {
    kind: 'counter',
    help: 'Posts of upstream answered 401, by why',
    labels: ['reason'],
  },
  upstream_facts_unroutable_total: {
    kind: 'counter',
    help: 'Facts about an identity that nobody has connected',
    labels: ['channel_type'],
  },
  upstream_facts_dropped_total: {
    kind: 'counter',
    help: 'Facts for inactive channels, or more than may be held',
    labels: ['channel_type'],
  },
  upstream_facts_parked_total: {
    kind: 'counter',
    help: 'Facts stored because their owner was out of reach',
    labels: ['channel_type'],
  },
  upstream_facts_put_aside_total: {
    kind: 'counter',
    help: 'Stored turns of facts that no owner could take, tried again once an hour',
  },
  upstream_items_malformed_total: { kind: 'counter', help: 'Items of posts that could not be read' },
  upstream_items_ignored_total: { kind: 'counter', help: 'Items that make no event' },
  upstream_notices_total: {
    kind: 'counter',
    help: 'What upstream told besides messages: errors, tests, messages without content',
    labels: ['kind'],
  },
  quarantined_total: {
    kind: 'counter',
    help: 'Facts, files and deliveries quarantined because they ended their nodes',
    labels: ['kind'],
  },
  facts_waiting: { kind: 'gauge', help: 'Facts whose message is not known yet' },
  inbound_waiting: {
    kind: 'gauge',
    help: 'Messages that wait for their files, as far as they are remembered',
  },
  deliveries_recorded_total: {
    kind: 'counter',
    help: 'Recorded steps of webhook deliveries',
    labels: ['outcome'],
  },
  delivery_attempts_total: { kind: 'counter', help: 'Webhook attempts', labels: ['result'] },
  delivery_attempt_seconds: { kind: 'histogram', help: 'Webhook attempts' },
  delivery_first_attempt_seconds: {
    kind: 'histogram',
    help: "From upstream's event to the first attempt of its webhook",
    bounds: eventSeconds,
  },
  delivery_end_to_end_seconds: {
    kind: 'histogram',
    help: "From upstream's event to the 2xx of its receiver",
    bounds: eventSeconds,
  },
  deliveries_kept_bytes: { kind: 'gauge', help: 'Bytes of given-up webhooks that its channels keep' },
  deliveries_pending: { kind: 'gauge', help: 'Webhooks this node has yet to deliver' },
  deliveries_oldest_pending_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest webhook this node has yet to deliver',
    isHighest: true,
  },
  receivers_failing: { kind: 'gauge', help: 'Channels whose receiver fails again and again' },
  channels_owned: { kind: 'gauge', help: 'Channels live on this node' },
  nodes_live: { kind: 'gauge', help: 'Live nodes of the cluster, as this node knows' },
  peers_without_link: {
    kind: 'gauge',
    help: 'Live nodes that this node has had no link to for longer than a lease',
  },
  lease_valid: { kind: 'gauge', help: '1 while Redis says that this node may own channels' },
  sends_forwarded_total: { kind: 'counter', help: 'Sends that this node passed to the owner over a link' },
  channels_followed_total: {
    kind: 'counter',
    help: 'Channels given to the node that their sends reach',
  },
  epochs_minted_total: { kind: 'counter', help: 'Activations started' },
  takeovers_total: { kind: 'counter', help: 'Channels taken over from another run of a node' },
  fences_total: { kind: 'counter', help: 'Intents of an old owner that were refused' },
  leases_lost_total: { kind: 'counter', help: 'Losses of the lease of this node' },
  peers_dead_total: { kind: 'counter', help: 'Other nodes declared dead' },
  link_round_trip_seconds: { kind: 'histogram', help: 'Round trips of pings to other nodes' },
  media_files_total: { kind: 'counter', help: 'Attempts to fetch inbound files', labels: ['outcome'] },
  media_hosts_total: {
    kind: 'counter',
    help: 'Inbound files fetched, by the host that had them',
    labels: ['host'],
  },
  media_bytes_total: { kind: 'counter', help: 'Bytes of inbound files fetched and stored' },
  media_fetch_seconds: { kind: 'histogram', help: 'Attempts to fetch inbound files' },
  media_waiting: { kind: 'gauge', help: 'Files that wait for a free slot to be fetched' },
  store_commit_seconds: { kind: 'histogram', help: 'Commits of channels' },
  volume_free_bytes: {
    kind: 'gauge',
    help: "Free bytes of the store's volume when a file was last stored; 0: not known",
  },
  store_errors_total: { kind: 'counter', help: 'Commits that failed', labels: ['error'] },
  store_reachable: { kind: 'gauge', help: '1 while the store answers' },
  job_runs_total: { kind: 'counter', help: 'Runs of jobs', labels: ['name', 'outcome'] },
  job_seconds: { kind: 'histogram', help: 'Runs of jobs', labels: ['name'] },
  mails_total: { kind: 'counter', help: 'Mails offered to the mail server', labels: ['kind', 'outcome'] },
  billing_events_total: { kind: 'counter', help: 'Posts of the payment provider', labels: ['outcome'] },
  licences_lapsed_total: { kind: 'counter', help: 'Licences that expired', labels: ['source'] },
  channels_subscribed_again_total: {
    kind: 'counter',
    help: 'Lost webhook subscriptions made again',
    labels: ['channel_type'],
  },
  channel_problems_total: {
    kind: 'counter',
    help: 'Problems of channels at upstream that began',
    labels: ['code'],
  },
  token_renewals_total: {
    kind: 'counter',
    help: 'Access tokens renewed before their end',
    labels: ['outcome'],
  },
  channels_resealed_total: {
    kind: 'counter',
    help: 'Channels whose secrets were sealed under the newest key',
  },
  audit_not_recorded_total: {
    kind: 'counter',
    help: 'Changes whose entry in the audit log could not be written',
  },
  upstream_bodies_refused_total: {
    kind: 'counter',
    help: 'Posts of upstream, the payment provider or a form refused unchecked: too many bytes under way',
  },
  upstream_bodies_bytes: {
    kind: 'gauge',
    help: 'Bytes of posts of upstream, the payment provider and forms, not checked yet',
  },
  api_bodies_bytes: { kind: 'gauge', help: 'Bytes of bodies of API requests that are not answered yet' },
  clock_steps_total: { kind: 'counter', help: 'Steps of the wall clock of more than a second' },
  connections_open: { kind: 'gauge', help: 'Connections that are open at the public listener' },
  connections_dropped_total: {
    kind: 'counter',
    help: 'Connections ended for want of a place: idle ones of the client that held most, and new ones',
    labels: ['listener', 'why'],
  },
  unread_answers_bytes: { kind: 'gauge', help: 'Bytes of answers that clients have not taken yet' },
} as const satisfies Record<string, MetricRow>;

type Table = typeof metricTable;
type MetricName = keyof Table;
type NameOf<K extends MetricRow['kind']> = {
  [N in MetricName]: Table[N] extends { kind: K } ? N : never;
}[MetricName];
export type CounterName = NameOf<'counter'>;
type HistogramName = NameOf<'histogram'>;
type GaugeName = NameOf<'gauge'>;

/** Gauges that an actor or a part reports when asked. */
export type Figures = Readonly<Partial<Record<GaugeName, number>>>;

/** Values of the labels that the table names; an omitted label is empty. */
export type Labels = Readonly<Record<string, string>>;

export interface Counters {
  /** `times`: 1 by default. */
  increment(name: CounterName, labels?: Labels, times?: number): void;
}

export interface Observers {
  observe(name: HistogramName, seconds: number, labels?: Labels): void;
}

function listGauges(figures: Figures): [GaugeName, number][] {
  const isGauge = (name: string): name is GaugeName => Object.hasOwn(metricTable, name);
  return Object.entries(figures).flatMap(([name, value]) => (isGauge(name) ? [[name, value]] : []));
}

/** Combines the figures of several reporters: the sum, or the highest. */
export function joinFigures(each: Iterable<Figures>): Figures {
  const all: Partial<Record<GaugeName, number>> = {};
  for (const figures of each)
    for (const [name, value] of listGauges(figures)) {
      const known = all[name] ?? 0;
      all[name] = 'isHighest' in metricTable[name] ? Math.max(known, value) : known + value;
    }
  return all;
}
