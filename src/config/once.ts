/**
 * For what is parsed a handful of times. zod writes and compiles code for each object of a schema at its first use,
 * which pays from some hundred values on; for the settings it took 8 ms of each start.
 */
export const ONCE = { jitless: true } as const;
