import { drain, listNodes } from '../nodes.ts';
import type { PageContext } from '../../route.ts';
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import { fault } from '../../../kernel/faults.ts';
import type { NodeInsight } from '../../../ownership/cluster-view.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import { Badge } from '../../../pages/components.tsx';
import type { Tone } from '../../../pages/components.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import type { Trait } from '../../../pages/list/rows.tsx';
import { When } from '../../../pages/time.tsx';
import { consolePath } from '../../../pages/paths.ts';
import { operatorPage } from './session.ts';
import { answerConsoleConfirmation } from './shell.tsx';

const path = `${consolePath}/nodes/{node_id}/drain`;
const pathOf = (nodeId: string): string => `${consolePath}/nodes/${nodeId}/drain`;

const leases: Record<NonNullable<NodeInsight['status']>['lease'], readonly [tone: Tone, words: string]> = {
  alone: ['good', 'needs none'],
  held: ['good', 'held'],
  unsure: ['idle', 'not sure: Redis says nothing'],
  lost: ['bad', 'lost'],
};

const traits: readonly (readonly Trait[])[] = [
  ['read-by'],
  ['state'],
  ['p3', 'second'],
  ['p2'],
  ['p3'],
  ['p4'],
  ['p5'],
  ['p5'],
  ['end', 'second'],
];

export function Nodes({ nodes, now }: { nodes: readonly NodeInsight[]; now: number }): VNode {
  return (
    <section aria-labelledby="nodes">
      <h2 id="nodes">Nodes</h2>
      <Rows
        heads={['Node', 'State', 'Lease', 'Live channels', 'Busy', 'Memory', 'Version', 'Started', '']}
        traits={traits}
        rows={nodes.map((node) => row(node, now))}
      />
    </section>
  );
}

function stateOf({ draining, isLinked, status }: NodeInsight): readonly [tone: Tone, words: string] {
  if (!isLinked) return ['bad', 'no link to it: check INTERNAL_URL'];
  const missed = status?.peersWithoutLink ?? 0;
  if (missed > 0) return ['bad', `reaches ${missed === 1 ? 'one node' : `${missed} nodes`} less than live`];
  return draining ? ['idle', 'drained: takes no channels'] : ['good', 'serves'];
}

function row(node: NodeInsight, now: number) {
  const { nodeId, draining, channelsOwned, startedAt, status } = node;
  const [stateTone, state] = stateOf(node);
  const [tone, lease] = status === null ? (['bad', 'does not answer'] as const) : leases[status.lease];
  return [
    <code>{nodeId}</code>,
    <Badge tone={stateTone}>{state}</Badge>,
    <Badge tone={tone}>{lease}</Badge>,
    <span class="number">{channelsOwned}</span>,
    <span class="number">{status === null ? '–' : `${Math.round(status.busy * 100)} %`}</span>,
    <span class="number">{status === null ? '–' : `${Math.round(status.memoryBytes / 2 ** 20)} MB`}</span>,
    status === null ? '–' : `${status.version} (${status.commit})`,
    <When at={startedAt} now={now} />,
    draining ? null : (
      <a class="button quiet" href={pathOf(nodeId)}>
        Drain<span class="unseen"> {nodeId}</span>
      </a>
    ),
  ];
}

/** Throws Fault 404 for a node that is not live. */
async function nodeIn(context: PageContext): Promise<{ node: NodeInsight; nodes: readonly NodeInsight[] }> {
  const nodeId = context.request.params['node_id'];
  const nodes = await listNodes(context.world);
  const node = nodes.find((each) => each.nodeId === nodeId);
  if (node === undefined) throw fault('not_found', { what: 'Node' });
  return { node, nodes };
}

async function ask(context: PageContext): Promise<void> {
  const { node, nodes } = await nodeIn(context);
  const others = nodes.filter(({ nodeId, draining }) => nodeId !== node.nodeId && !draining);
  answerConsoleConfirmation(context, {
    title: `Drain ${node.nodeId}`,
    at: consolePath,
    children: (
      <>
        <p>
          It hands its {node.channelsOwned === 1 ? 'live channel' : `${node.channelsOwned} live channels`} to
          the others and takes none until it is started again; its readiness says 503, so that a balancer
          leaves it out. No send is lost.
        </p>
        {others.length > 0 ? null : (
          <p class="alert">
            It is the only node that serves: until it is started again, sends answer 503 and events wait.
          </p>
        )}
      </>
    ),
    action: pathOf(node.nodeId),
    yes: 'Drain it',
    back: consolePath,
  });
}

async function drainNode(context: PageContext): Promise<void> {
  await readForm(context);
  const { node } = await nodeIn(context);
  await drain(context.world, context.by, node.nodeId);
  sendRedirect(context.response, consolePath);
}

export const nodePages = [
  operatorPage({ get: path, name: 'askDrain', open: ask }),
  operatorPage({ post: path, name: 'consoleDrain', open: drainNode }),
];
