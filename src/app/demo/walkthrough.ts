import type { ChannelType } from '../../domain/vocabulary.ts';
import type { Connected } from './connect.ts';
import { addresses, people } from './people.ts';

interface Places {
  service: string;
  simulator: string;
  receiver: string;
}

/** Prints what exists, and commands to paste into another terminal. */
export function printWalkthrough({
  service,
  simulator,
  receiver,
  apiKey,
  adminToken,
  channels,
  person,
}: Places & Connected): void {
  const json = `-H 'content-type: application/json'`;
  const lines = [
    '',
    `  Service    ${service}   Portal ${service}/portal   Contract ${service}/docs`,
    `  Simulator  ${simulator}   Play a customer ${simulator}/control/chat`,
    `  Receiver   ${receiver}`,
    `  Sign in    ${person.email} with the password: ${person.password}`,
    `  API key    ${apiKey}`,
    `  Admin      ${adminToken}`,
    ...channels.map(({ id, type, name }) => `  ${type.padEnd(9)}  ${id}   ${name}`),
    '',
    'Paste into another terminal:',
    '',
    `export KEY=${apiKey}`,
    `export CHANNEL=${channels[0]?.id ?? ''}   # the ${channels[0]?.type ?? ''} one`,
    '',
    '# the channels of the account',
    `curl -s ${service}/api/v1/channels -H "X-API-Key: $KEY"`,
    '',
    ...channels.flatMap(({ id, type }) => [
      `# send a text on ${type}`,
      `curl -s ${service}/api/v1/messages/send -H "X-API-Key: $KEY" ${json} -d '{"channel_id":"${id}","recipient":"${listPeople(type)}","text":"Hello from ${type}"}'`,
    ]),
    '',
    ...channels.flatMap(({ type }) => [
      `# a person writes on ${type}`,
      `curl -s ${simulator}/control/people/write ${json} -d '{"channel":"${addresses[type]}","from":"${listPeople(type)}","text":"Hello, are you open?"}'`,
    ]),
    '',
    '# the person reads what was sent',
    `curl -s ${simulator}/control/people/read ${json} -d '{"channel":"${addresses['chatapp']}","from":"${listPeople('chatapp')}"}'`,
    '',
    '# the receiver fails three times: watch the retries (the demo shortens the ladder to seconds)',
    `curl -s -X POST '${receiver}/fail?status=500&times=3'`,
    '',
    '# connect a channel by hand: open the setup_url in a browser',
    `curl -s ${service}/api/v1/channels/setup-url -H "X-API-Key: $KEY" ${json} -d '{"channel_type":"chatapp","redirect_uri":"${receiver}/connected"}'`,
    '',
    'What happens (Ctrl-C ends it):',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function listPeople(type: ChannelType): string {
  return people[type][0];
}
