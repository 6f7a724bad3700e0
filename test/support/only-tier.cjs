/** Jest's filter: jest loads it by `require`. */
module.exports = async (paths) => {
  const { keptOf } = await import('./tiers.js');
  return { filtered: keptOf(paths, process.env.TEST_TIER) };
};
