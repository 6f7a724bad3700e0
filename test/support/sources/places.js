/** Which files `compile.js` compiles and `loader.js` loads, by their paths from the root of the checkout. */
export const folders = ['actors', 'config', 'src'];

const named = /^(actors|config|src)\/.*(?<!\.d)\.tsx?$/;
/** A line in the first column that awaits and is neither a comment nor an async function: outside functions, because those are indented. */
const awaits = /^(?:await\b|(?!.*\basync\b)[^\s/*].*\bawait )/m;

/** A source of the product that is no program. */
export function isSource(name, read) {
  return named.test(name) && !awaits.test(read());
}

export const compiledName = (name) => name.replace(/\.tsx?$/, '.js');
