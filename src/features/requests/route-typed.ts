import { programRoutes } from '../program-routes.ts';

/** Each path of the API, and what it looks like with ids in it. */
const shapes = [
  ...new Set(programRoutes.filter(({ audience }) => audience === 'api').map(({ path }) => path)),
].map((path) => [path, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)] as const);

/** The route of what somebody types or pastes: a call's whole address, or its path with ids in it. What is of none stays as it is. */
export function routeIn(text: string): string {
  const [path = ''] = text.replace(/^(?:[A-Z]+ )?(?:https?:\/\/[^/]*)?/, '').split(/[?#]/);
  const known = ['', '/api/v1', '/api/v1/'].flatMap((before) => findRoute(`${before}${path}`) ?? []);
  return known[0] ?? text;
}

function findRoute(path: string): string | undefined {
  const named = shapes.find(([route]) => route === path) ?? shapes.find(([, shape]) => shape.test(path));
  return named?.[0];
}
