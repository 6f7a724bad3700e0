/** What upstream's POSTs were answered: it repeats one that was refused, so that a refusal does not show in the events. [architecture §6.1] */
import type { Simulator } from '../../support/service.ts';

/** The number of POSTs so far. */
export async function countPosts(simulator: Simulator): Promise<number> {
  const { total } = await simulator.control('webhooks?limit=1');
  return total;
}

/** The answers of each later POST that was not answered 200 at once. */
export async function refusedPosts(simulator: Simulator, after: number): Promise<number[][]> {
  const { webhooks } = await simulator.control(`webhooks?after=${after - 1}&limit=1000000`);
  const answers = webhooks.map((post: { answers: number[] }) => post.answers);
  return answers.filter((each: number[]) => each.some((status) => status !== 200));
}
