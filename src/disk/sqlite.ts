/**
 * Loads `node:sqlite` without the warning that older releases print because it is experimental. The warning is emitted
 * synchronously while loading, and is suppressed only for that time.
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

/** SQLite's primary result code; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

export const SQLITE_BUSY = 5;
export const SQLITE_LOCKED = 6;
