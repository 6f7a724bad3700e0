import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Baselines run as the service does, compiled: a loader would cost them what it does not cost the service. */
export function buildBaselines(tree: string): void {
  const tsc = join(tree, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'bench/tsconfig.json'], { cwd: tree, stdio: 'inherit' });
}

/** As `npm run build`, in another checkout. */
export function buildService(tree: string): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: tree, stdio: 'inherit' });
}
