/**
 * Loads `node:sqlite`, which older releases announce as experimental on standard error. The warning is
 * emitted while loading, synchronously; only for that moment is it kept back.
 */
export function loadSqlite(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** What SQLite says is wrong, as its primary result code; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

export const SQLITE_BUSY = 5;
export const SQLITE_LOCKED = 6;
