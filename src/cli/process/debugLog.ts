import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Writes lines for `--debug` to a file below the data folder, never to the screen. */
export interface DebugLog {
  readonly file: string | undefined;
  write(line: string): void;
  /** What is written from now on beside the sessions goes through this: it takes secrets out. */
  redactWith(clean: (text: string) => string): void;
  /** A text as it may be written beside the sessions. */
  textOf(text: string): string;
}

export function createDebugLog(dataRoot: string, enabled: boolean, now: () => Date): DebugLog {
  let clean = (text: string): string => text;
  const rules = {
    redactWith: (next: typeof clean) => {
      clean = next;
    },
    textOf: (text: string) => clean(text),
  };
  if (!enabled) return { file: undefined, write: () => undefined, ...rules };
  const folder = join(dataRoot, 'logs');
  const file = join(folder, `${now().toISOString().slice(0, 10)}.log`);
  return {
    file,
    ...rules,
    write(line) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(file, `${now().toISOString()} ${clean(line)}\n`, { mode: 0o600 });
      } catch {
        // A log that cannot be written must not stop the work it is about.
      }
    },
  };
}
