/** All of them, whatever one throws; then throws what the first threw. */
export async function eachInTurn(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const thrown: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => thrown.push(error));
  if (thrown.length > 0) throw thrown[0];
}
