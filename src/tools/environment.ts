/** Environment variables as handed in by whoever builds the tools; tools never read the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;
