/** `clawdcode session verify` and `repair`: check a session's log, and replace it with a repaired one. */
import { repairSession, SessionLockedError, verifySession } from '../../context/index.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { StorageFailure } from '../sessions/sessionErrors.ts';
import { jsonDocument } from './output.ts';
import { archivedEntries } from './readEntries.ts';
import { type SubagentLog, subagentLogs } from './subagentLogs.ts';
import { isWhole, repairLines, verifyLines } from './verifyText.ts';
import type { SessionPorts } from './withSession.ts';

/** Checks without changing anything. Exits with 1 if something is wrong. */
export async function verify(
  { output }: SessionPorts,
  session: SessionRecord,
  { deep, json }: { readonly deep: boolean; readonly json: boolean },
): Promise<number> {
  if (session.isArchived) return verifyArchive(output, session, json);
  const report = await verifySession(session.file, { deep });
  const text = json
    ? jsonDocument(report)
    : `${verifyLines(report, sanitizeLine(session.id), output.theme).join('\n')}\n`;
  await output.write(text);
  const damaged = json ? [] : await damagedSubagents(session, deep);
  for (const { id, file } of damaged)
    output.say(`The log of subagent ${id} is damaged: ${sanitizeLine(file)}`);
  return isWhole(report) && damaged.length === 0 ? EXIT.ok : EXIT.failed;
}

/** The logs of subagents are checked with that of their session; the sound ones are not listed. */
async function damagedSubagents(session: SessionRecord, deep: boolean): Promise<readonly SubagentLog[]> {
  const damaged: SubagentLog[] = [];
  for (const log of await subagentLogs(session))
    if (!isWhole(await verifySession(log.file, { deep }))) damaged.push(log);
  return damaged;
}

/** Unpacks an archive to check its own checksum. */
async function verifyArchive(
  output: SessionPorts['output'],
  { file, id }: SessionRecord,
  json: boolean,
): Promise<number> {
  let entries = 0;
  let problem: string | undefined;
  try {
    for await (const _ of archivedEntries(file)) entries += 1;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const isDamaged = problem !== undefined;
  const verdict = isDamaged
    ? output.theme.error(
        `The archive of session ${sanitizeLine(id)} is damaged: ${sanitizeLine(problem ?? '')}.`,
      )
    : output.theme.success(`The archive of session ${sanitizeLine(id)} is intact.`);
  const text = json
    ? jsonDocument({ file, entries, isDamaged, ...(problem === undefined ? {} : { problem }) })
    : `${verdict} ${output.theme.dim(`${entries} entries`)}\n`;
  await output.write(text);
  return isDamaged ? EXIT.failed : EXIT.ok;
}

/** Repairs the log; prints what was done and where the original log is. */
export async function repair(
  { output, now }: SessionPorts,
  session: SessionRecord,
  { json }: { readonly json: boolean },
): Promise<number> {
  const id = sanitizeLine(session.id);
  if (session.isArchived) {
    output.say(`Session ${id} is archived: unarchive it first, with clawdcode session unarchive ${id}.`);
    return EXIT.badInput;
  }
  const report = await repairSession(session.file, now());
  if (report.type === 'locked') throw new SessionLockedError(session.id, report.holder);
  if (report.type === 'failed')
    throw new StorageFailure(`Session ${id} could not be repaired, and is as it was: ${report.reason}`);
  if (json) await output.write(jsonDocument(report));
  else if (report.type === 'sound') await output.line(`Session ${id} is intact; nothing was changed.`);
  else await output.line(repairLines(report, id).join('\n'));
  return EXIT.ok;
}
