import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Agent } from '../../agent/types.ts';

/** Writes lines for `--debug` to a file in the data folder, never to the screen. */
export interface DebugLog {
  readonly file: string | undefined;
  write(line: string): void;
  /** Sets the function that redacts secrets from everything written to the debug log from now on. */
  redactWith(clean: (text: string) => string): void;
  /** Redacts a text for storing it outside the session log. */
  textOf(text: string): string;
}

/** `given`: a file to write to instead of the one in the data folder. */
export function createDebugLog(
  dataRoot: string,
  enabled: boolean,
  now: () => Date,
  given?: string,
): DebugLog {
  let clean = (text: string): string => text;
  const rules = {
    redactWith: (next: typeof clean) => {
      clean = next;
    },
    textOf: (text: string) => clean(text),
  };
  if (!enabled) return { file: undefined, write: () => undefined, ...rules };
  const file = given ?? join(dataRoot, 'logs', `${now().toISOString().slice(0, 10)}.log`);
  return {
    file,
    ...rules,
    write(line) {
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        appendFileSync(file, `${now().toISOString()} ${clean(line)}\n`, { mode: 0o600 });
      } catch {
        // A failing debug log must not stop the work.
      }
    },
  };
}

/** The file of `--debug-file`, relative to the working directory. */
export function debugFileOf(
  { debugFile }: { readonly debugFile: string | undefined },
  { cwd }: { readonly cwd: string },
): string | undefined {
  return debugFile === undefined ? undefined : resolve(cwd, debugFile);
}

/** Logs every measurement, reduction and compaction of the context. */
export function logContext(agent: Agent, debug: DebugLog): void {
  if (debug.file === undefined) return;
  agent.subscribe((event) => {
    if (event.type === 'context_measured') debug.write(`context ${JSON.stringify(event.measure)}`);
    if (event.type === 'compaction_ended') debug.write(`compaction ${JSON.stringify(event.report)}`);
    if (event.type !== 'entry') return;
    const { subtype, seq, data } = event.entry;
    if (subtype === 'reduction' || subtype === 'summary_failed')
      debug.write(`${subtype} #${seq} ${JSON.stringify(factsOf(data))}`);
  });
}

/** Only sizes and reasons; the texts are in the session's own log. */
function factsOf(data: Readonly<Record<string, unknown>> = {}): object {
  const { kind, reason, strategy, preTokens, postTokens } = data;
  return { kind, reason, strategy, preTokens, postTokens };
}
