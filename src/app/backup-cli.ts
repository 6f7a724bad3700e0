/** `npm run backup -- FOLDER`: copies DATA_DIR while the service runs. */
import { readEnvironment } from '../../config/env-file.ts';
import { backUp } from '../storage/sqlite/back-up.ts';
import { asError } from '../kernel/faults.ts';
import { startedAs } from './started-as.ts';

const usage = `Usage: ${startedAs('backup')} FOLDER (copies DATA_DIR to FOLDER while the service runs)`;

async function main(): Promise<string> {
  const [to, ...more] = process.argv.slice(2);
  if (to === '--help' || to === '-h') return usage;
  // A copy holds keys: a flag must not be taken for the name of its folder.
  if (to === undefined || more.length > 0 || to.startsWith('-')) throw new Error(usage);
  const { env } = readEnvironment();
  if (env['MONGODB_URI']?.trim())
    throw new Error(
      'the store is MongoDB (MONGODB_URI is set): back it up with mongodump, as docs/operating/backup.md says',
    );
  const dataDir = env['DATA_DIR']?.trim() || './data';
  await backUp(dataDir, to);
  return `${dataDir} is backed up in ${to}`;
}

main().then(
  (done) => process.stdout.write(`${done}\n`),
  (error: unknown) => {
    process.stderr.write(`${asError(error).message}\n`);
    process.exitCode = 1;
  },
);
