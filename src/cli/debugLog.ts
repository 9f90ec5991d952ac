import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Writes lines for `--debug` to a file below the data folder, never to the screen. */
export interface DebugLog {
  readonly file: string | undefined;
  write(line: string): void;
}

export function createDebugLog(dataRoot: string, enabled: boolean, now: () => Date): DebugLog {
  if (!enabled) return { file: undefined, write: () => undefined };
  const folder = join(dataRoot, 'logs');
  const file = join(folder, `${now().toISOString().slice(0, 10)}.log`);
  return {
    file,
    write(line) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(file, `${now().toISOString()} ${line}\n`, { mode: 0o600 });
      } catch {
        // A log that cannot be written must not stop the work it is about.
      }
    },
  };
}
