/** `--resume-session-at`: continues a session from one of its messages. */
import type { Agent, SessionTarget } from '../../agent/types.ts';
import { isPrompt, PersistentStore } from '../../context/index.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { readEntries } from '../sessionCommand/readEntries.ts';
import { locateTarget, resolveTarget } from '../sessions/locateTarget.ts';
import { HeadlessEnd } from './headlessProcess.ts';

/** The session to open, and the prompt to rewind to before, once it is open. */
interface Resumed {
  readonly target: SessionTarget;
  readonly rewindTo?: string;
}

/**
 * A fork gets the entries up to that message. The session itself can only be rewound to between two turns, as with
 * /rewind; its log keeps everything. Throws a `HeadlessEnd` if there is no such message, or if it is not between two
 * turns.
 */
export async function resumeAt(asked: SessionTarget, uuid: string, place: AppPaths): Promise<Resumed> {
  const target = await resolveTarget(asked, place);
  if (target.type !== 'id') return { target };
  const { dataRoot, root: projectRoot, version: programVersion } = place;
  const own = new PersistentStore({ dataRoot, projectRoot, programVersion });
  const { id, store, archived } = await locateTarget(target, place, own);
  const log = archived ?? { file: store.fileOf(id), isArchived: false };
  let seq: number | undefined;
  let isEndOfTurn = true;
  // Damage is reported when the session is opened.
  for await (const entry of readEntries(log, { type: 'from', seq: 0 }, () => {})) {
    if (entry.uuid === uuid) seq = entry.seq;
    else if (seq === undefined) continue;
    else if (target.mode === 'fork') break;
    else if (isPrompt(entry)) {
      if (isEndOfTurn) return { target, rewindTo: entry.uuid };
      throw new HeadlessEnd(EXIT.badInput, MIDDLE);
    } else if (entry.type !== 'system') isEndOfTurn = false;
  }
  if (seq === undefined) {
    const message = `the session has no message ${visibleLine(uuid, 100)} for --resume-session-at.`;
    throw new HeadlessEnd(EXIT.badInput, message);
  }
  if (target.mode === 'fork') return { target: { ...target, uptoSeq: seq } };
  if (!isEndOfTurn) throw new HeadlessEnd(EXIT.badInput, MIDDLE);
  return { target };
}

const MIDDLE =
  'that message is in the middle of a turn. --fork-session continues from there in a copy; without it, name the last message of a turn.';

/** Rewinds the conversation to before a prompt; the files stay. Throws a `HeadlessEnd` if that fails. */
export async function rewindBefore(prompt: string, agent: Agent): Promise<void> {
  const { eventAfter } = await import('../../headless/driver/controlRequests.ts');
  const report = await eventAfter(
    agent,
    () => agent.submit({ type: 'rewind', to: prompt, scope: 'conversation' }),
    (event) => (event.type === 'rewind_ended' ? event.report : undefined),
  );
  if (report?.outcome !== 'done')
    throw new HeadlessEnd(EXIT.failed, report?.message ?? 'The session could not be rewound.');
}
