export const tiers: readonly string[];
export function tierOf(file: string): string;
export function allFiles(): string[];
export function keptOf(paths: readonly string[], tier: string): readonly string[];
