import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Compiles the baselines, because the service also runs compiled: a TypeScript loader would add cost only to the baselines. */
export function buildBaselines(tree: string): void {
  const tsc = join(tree, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'bench/tsconfig.json'], { cwd: tree, stdio: 'inherit' });
}

/** Runs `npm run build` in another checkout. */
export function buildService(tree: string): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: tree, stdio: 'inherit' });
}
