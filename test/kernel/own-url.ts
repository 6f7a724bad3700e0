/** As the loader that imported this module names it. */
export const { url } = import.meta;
