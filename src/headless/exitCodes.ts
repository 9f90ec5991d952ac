/** Exit codes. Scripts depend on these numbers. */
export const EXIT = {
  ok: 0,
  failed: 1,
  noAccess: 41,
  badInput: 42,
  badSettings: 52,
  turnLimit: 53,
  interrupted: 130,
  /** Standard output was a pipe that the reader closed; the code that shells report for SIGPIPE. */
  readerLeft: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
