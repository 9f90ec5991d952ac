/** `clawdcode session audit <session>`: lists calls with the basis of their approval and their sandbox. */
import {
  type AuditRow,
  auditLines,
  createAuditReader,
  createGapCounter,
  incompleteness,
  isNotable,
} from '../../commands/pages/auditPage.ts';
import { type DamagedLine, lossText } from '../../context/index.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { count } from '../../protocol/text/numbers.ts';
import { redactDeep } from '../../redact/redact.ts';
import { sanitizeLine, shownLine } from '../../ui/print/sanitize.ts';
import { jsonLine } from './output.ts';
import { ownSecrets } from './ownSettings.ts';
import { allEntries } from './readEntries.ts';
import { type SessionPorts, subagentLogs } from './withSession.ts';

interface AuditOptions {
  /** Include read-only calls. */
  readonly all: boolean;
  /** Print one JSON object per line. */
  readonly json: boolean;
}

/**
 * Prints while reading, so memory does not grow with the session. Secrets are redacted. If entries of the log are
 * missing or changed, prints a warning and exits with code 1.
 */
export async function audit(
  { output, place }: SessionPorts,
  session: SessionRecord,
  { all, json }: AuditOptions,
): Promise<number> {
  const own = await ownSecrets(place);
  let [shown, looked, damagedLines] = [0, 0, 0];
  const gaps = createGapCounter();
  let loss: string | undefined;
  let last: number | undefined;
  const onDamage = ({ isEnd, reason }: DamagedLine): void => {
    if (isEnd === true) loss = lossText(reason, last);
    else damagedLines += 1;
  };
  /** Returns false if the reader has closed the pipe. */
  const write = async (rows: readonly AuditRow[], agent?: string): Promise<boolean> => {
    for (const found of rows) {
      if (!all && !isNotable(found)) {
        looked += 1;
        continue;
      }
      shown += 1;
      const row = redactDeep(agent === undefined ? found : { ...found, agent }, { own });
      const text = json
        ? jsonLine(row)
        : auditLines(row)
            .map(({ spans }) => `${shownLine(spans.map((span) => span.text).join('')).trimEnd()}\n`)
            .join('');
      if (!(await output.write(text))) return false;
    }
    return true;
  };
  /** Returns false if the reader has closed the pipe. */
  const writeLog = async (
    entries: AsyncIterable<JSONLEntry>,
    see: (seq: number) => void,
    agent?: string,
  ): Promise<boolean> => {
    const reader = createAuditReader();
    for await (const entry of entries) {
      see(entry.seq);
      if (!(await write(reader.see(entry), agent))) return false;
    }
    return write(reader.rest(), agent);
  };
  const see = (seq: number): void => {
    last = seq;
    gaps.see(seq);
  };
  if (!(await writeLog(allEntries(session.file, onDamage), see))) return EXIT.ok;
  for (const { id, file } of await subagentLogs(session)) {
    if (!json && !(await output.write(`Subagent ${id}: ${sanitizeLine(file)}\n`))) return EXIT.ok;
    if (!(await writeLog(allEntries(file, onDamage), () => {}, id))) return EXIT.ok;
  }
  if (shown === 0) output.hint('This session ran only read-only calls; --all lists them.');
  else if (looked > 0) output.hint(`${count(looked, 'read-only call')} not shown; --all shows them.`);
  const problems = [loss, incompleteness(gaps.missing(), damagedLines)].filter((one) => one !== undefined);
  if (problems.length === 0) return EXIT.ok;
  const id = sanitizeLine(session.id);
  output.say(`${sanitizeLine(problems.join(' '))} clawdcode session verify ${id} has details.`);
  return EXIT.failed;
}
