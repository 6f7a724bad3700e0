import type { ChannelType } from '../../rules/vocabulary.ts';
import type { Connected } from './connect.ts';
import { addresses, people } from './people.ts';
import type { Places } from './programs.ts';

const json = `-H 'content-type: application/json'`;

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
  const chatapp = channels.find(({ type }) => type === 'chatapp')?.id;
  const lines = [
    '',
    `  Service    ${service}   Portal ${service}/portal   API docs ${service}/docs`,
    `  Simulator  ${simulator}   Write as a user ${simulator}/control/chat`,
    `  Receiver   ${receiver}   Webhooks are printed below`,
    `  Sign in    ${person.email} with the password: ${person.password}`,
    `  API key    ${apiKey}`,
    `  Admin      ${adminToken}   (of /admin/v1, as Authorization: Bearer)`,
    ...channels.map(({ id, type, name }) => `  ${type.padEnd(9)}  ${id}   ${name}`),
    '',
    'Try these commands in another terminal:',
    '',
    `export KEY=${apiKey}`,
    `export CHANNEL=${channels[0]?.id ?? ''}   # the ${channels[0]?.type ?? ''} channel`,
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
      `# a user sends a message on ${type}`,
      `curl -s ${simulator}/control/people/write ${json} -d '{"channel":"${addresses[type]}","from":"${listPeople(type)}","text":"Hello, are you open?"}'`,
    ]),
    '',
    '# send something to press; the user presses the second button',
    ...pressing(service, simulator, chatapp ?? ''),
    '',
    '# the user reads the messages',
    `curl -s ${simulator}/control/people/read ${json} -d '{"channel":"${addresses['chatapp']}","from":"${listPeople('chatapp')}"}'`,
    '',
    '# let the receiver fail three times and watch the retries (the demo retries within seconds)',
    `curl -s -X POST '${receiver}/fail?status=500&times=3'`,
    '',
    '# the further endpoint of the channel, with events and a secret of its own (“endpoint” below)',
    `curl -s ${service}/api/v1/channels/${channels[0]?.id ?? ''}/endpoints -H "X-API-Key: $KEY"`,
    '',
    '# connect another channel: open the setup_url of the answer in a browser',
    `curl -s ${service}/api/v1/channels/setup-url -H "X-API-Key: $KEY" ${json} -d '{"channel_type":"chatapp","redirect_uri":"${receiver}/connected"}'`,
    '',
    ...hints,
    'Events (stop the demo with Ctrl-C): of the sample messages, the receiver rejects one once and one always, to show retries.',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

const hints = [
  'Templates cake_photo, pickup_place, cake_of_the_day (a picture, a place, a product in the header), cake_choice (a carousel): how to send them is in the guide.',
  'What else a user can do: the guide, "What people answer", and src/simulator/CONTROL.md.',
  'The demo takes http and localhost as receivers and redirects; elsewhere they must be HTTPS and public.',
];

/** A message with something to press, and the person who presses it. */
function pressing(service: string, simulator: string, channelId: string): string[] {
  const recipient = listPeople('chatapp');
  const buttons = [
    { id: 'am', title: 'In the morning' },
    { id: 'pm', title: 'In the evening' },
  ];
  const said = { interactive_type: 'buttons', text: 'When shall we deliver?', buttons };
  const sent = JSON.stringify({ channel_id: channelId, recipient, ...said });
  const pressed = { channel: addresses.chatapp, from: recipient, type: 'interactive', payload: 'pm' };
  return [
    `curl -s ${service}/api/v1/messages/send-interactive -H "X-API-Key: $KEY" ${json} -d '${sent}'`,
    `curl -s ${simulator}/control/people/write ${json} -d '${JSON.stringify(pressed)}'`,
  ];
}

function listPeople(type: ChannelType): string {
  return people[type][0];
}
