export function isUpToDate(made: string, sources: readonly string[]): Promise<boolean>;
