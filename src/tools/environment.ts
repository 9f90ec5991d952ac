/** Environment variables, passed in by the caller; tools never read the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;
