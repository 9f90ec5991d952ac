/** Finds the session that a word on the command line means. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentsFolderIn, folderOfLog } from '../../context/index.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { formatAge } from '../../ui/print/numbers.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { truncate } from '../../ui/print/width.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { findSession } from '../sessions/locateTarget.ts';
import type { Output } from './output.ts';
import type { Sessions } from './sessions.ts';

/**
 * Runs a subcommand on the session. This project's sessions take precedence; an unknown or ambiguous word is reported
 * as bad input, with suggestions.
 */
export async function withSession(ports: SessionPorts, word: string, run: WithSession): Promise<number> {
  const sessions = await ports.sessions();
  const found = findSession(await sessions.named(word), word, sessions.projects);
  if (found.type === 'found') return run(found.session);
  const shown = JSON.stringify(word);
  if (found.type === 'none') {
    ports.output.say(
      `There is no session ${shown}: give an id, an id prefix, or a title. "clawdcode session list --all" lists all sessions.`,
    );
    return EXIT.badInput;
  }
  const some = found.sessions.slice(0, SHOWN);
  const lines = some.map(
    // A fork has the same title as its original: only the time distinguishes them.
    ({ id, title, updatedAt }) =>
      `  ${id}  ${truncate(sanitizeLine(title), 60)}  ${formatAge(updatedAt, ports.now())}`,
  );
  const more = found.sessions.length - some.length;
  ports.output.say(
    [
      `${shown} matches ${found.sessions.length} sessions; give more of the id:`,
      ...lines,
      ...(more === 0 ? [] : [`  … and ${more} more`]),
    ].join('\n'),
  );
  return EXIT.badInput;
}

/** Maximum number of sessions listed if a word is ambiguous. */
const SHOWN = 10;

export interface SessionPorts {
  readonly place: AppPaths;
  readonly output: Output;
  /** The sessions of all projects; opened once, on the first call. */
  sessions(): Promise<Sessions>;
  /** Asks at the terminal; undefined if there is none. */
  confirm(question: string): Promise<boolean | undefined>;
  now(): Date;
}

/** Runs a subcommand and resolves to the exit code. */
export type Run<T> = (ports: SessionPorts, given: T) => Promise<number>;

/** Runs something on the session that a word means. */
export type WithSession = (session: SessionRecord) => Promise<number>;

// The logs of a session's subagents; they are stored next to session logs, but are not sessions.

export interface SubagentLog {
  /** `a1`, `a2` …. */
  readonly id: string;
  readonly file: string;
}

/** In the order in which they were started. */
export async function subagentLogs({
  file,
  id,
}: Pick<SessionRecord, 'file' | 'id'>): Promise<readonly SubagentLog[]> {
  const folder = agentsFolderIn(folderOfLog(file), id);
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .flatMap((name) => {
      const number = /^a(\d{1,9})\.jsonl$/.exec(name)?.[1];
      return number === undefined
        ? []
        : [{ id: `a${number}`, file: join(folder, name), number: Number(number) }];
    })
    .sort((a, b) => a.number - b.number)
    .map(({ number: _, ...log }) => log);
}
