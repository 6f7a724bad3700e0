import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Pages load built files: tests see those of these sources, not of the last build. About half a second. */
export default function buildClient() {
  const root = join(import.meta.dirname, '../..');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', 'src/portal/client'], { cwd: root, stdio: 'inherit' });
}
