export const mib = 1024 * 1024;
