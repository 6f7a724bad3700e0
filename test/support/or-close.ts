/** Resolves as `opening` does. If it rejects, `close` closes what was opened before it: an open server keeps jest from ending. */
export async function orClose<T>(opening: Promise<T>, close: () => Promise<unknown>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await close();
    throw error;
  }
}
