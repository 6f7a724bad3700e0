/** Whether this Node can run the program. Imports nothing: it is asked before anything loads that an older Node lacks. */

/** As in `engines` of package.json. */
const least = { major: 20, minor: 19 };

/** One line for the person at the terminal; null: it is new enough. */
export function oldNodeProblem(version = process.versions.node): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > least.major || (major === least.major && minor >= least.minor)) return null;
  return `Node ${least.major}.${least.minor} or newer is needed; this is ${version}`;
}
