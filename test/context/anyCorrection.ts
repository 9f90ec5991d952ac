/** Corrections at any place in a log: the program offers only some of them, but a log may contain any. */
import { loadEntry, undo, uuidsOfCompaction } from '../../src/context/corrections.ts';
import { atomEntries, groupAtoms } from '../../src/context/history/atoms.ts';
import { reductionOf } from '../../src/context/history/reductions.ts';
import type { Session } from '../../src/context/session.ts';

/** Undoes a reduction or a compaction; false if there is none, or if it is already undone. */
export async function undoReduction(session: Session, uuid: string): Promise<boolean> {
  const { log } = session;
  if (!(await loadEntry(log, uuid))) return false;
  const entry = log.entries().find((one) => one.uuid === uuid);
  if (entry === undefined || log.live().undone.has(uuid)) return false;
  const isCompaction = entry.subtype === 'compact_boundary';
  if (!isCompaction && reductionOf(entry) === undefined) return false;
  const undoes = isCompaction ? uuidsOfCompaction(log.entries(), entry) : [uuid];
  await undo(session, undoes, { content: '', data: {} });
  return true;
}

/** Rewinds to right after the step or message of an entry; false if the conversation does not contain it. */
export async function rewindTo(session: Session, uuid: string): Promise<boolean> {
  const { log, projection, append } = session;
  if (!(await loadEntry(log, uuid))) return false;
  const atom = groupAtoms(log.live().entries).find((one) =>
    atomEntries(one).some((entry) => entry.uuid === uuid),
  );
  const last = atom === undefined ? undefined : atomEntries(atom).reduce((a, b) => (a.seq > b.seq ? a : b));
  if (last === undefined) return false;
  await append([
    {
      type: 'system',
      subtype: 'rewind',
      message: { role: 'system', content: '' },
      data: { to: last.uuid },
    },
  ]);
  await projection.loadSnippets(log.entries());
  return true;
}
