/** One acceptance run, from the dialog to the report. */
import type { ChannelType } from '../../domain/vocabulary.ts';
import { connect, look } from './connect.ts';
import { profile, receive, send } from './messages.ts';
import { loseAccess, refuse } from './refusals.ts';
import { writeReport } from './report.ts';
import { skip, type Person, type Run } from './run.ts';
import { Service } from './service.ts';
import { templates } from './templates.ts';

interface AcceptanceOptions {
  readonly url: string;
  readonly adminToken: string;
  readonly channelType: ChannelType;
  readonly person: Person;
  readonly folder: string;
  readonly patienceMs: number;
}

/** Runs every step and writes the report. Rejects when no channel could be connected. */
export async function accept({ url, adminToken, folder, ...rest }: AcceptanceOptions): Promise<Run> {
  const run = await connect({ service: new Service(url, adminToken), ...rest });
  try {
    await look(run);
    const person = await receive(run);
    if (person === null) for (const step of ['send', 'profile', 'refusals']) skip(run, step);
    else {
      await send(run, person);
      await profile(run, person);
      await refuse(run, person);
    }
    await templates(run);
    if (person !== null) await loseAccess(run, person);
  } finally {
    run.feed.close();
    writeReport(folder, run);
  }
  return run;
}
