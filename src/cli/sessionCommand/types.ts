/** What the subcommands of `clawdcode session` are given. */
import type { SessionRecord } from '../../protocol/sessions.ts';
import type { Place } from '../process/appPaths.ts';
import type { Output } from './output.ts';
import type { Sessions } from './sessions.ts';

export interface SessionPorts {
  readonly place: Place;
  readonly output: Output;
  /** All projects' sessions; opened once, at the first call. */
  sessions(): Promise<Sessions>;
  /** Asks at the terminal; undefined where there is none to ask at. */
  confirm(question: string): Promise<boolean | undefined>;
  now(): Date;
}

/** A subcommand ends with the program's exit code. */
export type Run<T> = (ports: SessionPorts, given: T) => Promise<number>;

/** Does something with the session that a word means. */
export type WithSession = (session: SessionRecord) => Promise<number>;
