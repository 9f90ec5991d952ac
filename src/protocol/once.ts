/**
 * For schemas that are asked a few times in a run. zod writes and compiles code for each object of a schema at its first
 * use, which pays where thousands of values are read: for the settings it took 8 ms of each start, for the entries that
 * a session appends 2 ms, to be 1 µs quicker with each.
 */
export const ONCE = { jitless: true } as const;
