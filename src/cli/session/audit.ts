/** `clawdcode session audit <session>`: what it did, by which permission, in which sandbox. */
import { auditLines, auditRow, isNotable } from '../../commands/pages/auditPage.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { redactDeep } from '../../redact/redactDeep.ts';
import { count } from '../../ui/print/numbers.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { jsonLine } from './json.ts';
import { ownSecrets } from './ownSettings.ts';
import { readEntries } from './readEntries.ts';
import type { SessionPorts } from './types.ts';

export interface AuditOptions {
  /** Also what only looked. */
  readonly all: boolean;
  /** One JSON object a line. */
  readonly json: boolean;
}

/** Prints as it reads: memory does not grow with the session. Secrets are left out: whoever audits need not know them. */
export async function audit(
  { output, place }: SessionPorts,
  session: SessionRecord,
  { all, json }: AuditOptions,
): Promise<number> {
  const own = await ownSecrets(place);
  let [shown, looked] = [0, 0];
  for await (const entry of readEntries(session, { type: 'from', seq: 0 })) {
    const found = auditRow(entry);
    if (found === undefined) continue;
    if (!all && !isNotable(found)) {
      looked += 1;
      continue;
    }
    shown += 1;
    const row = redactDeep(found, { own });
    const text = json
      ? jsonLine(row)
      : auditLines(row)
          .map(({ spans }) => `${sanitizeLine(spans.map((span) => span.text).join('')).trimEnd()}\n`)
          .join('');
    if (!(await output.write(text))) return EXIT.ok;
  }
  if (shown === 0) output.hint('Nothing was done in this session but looking; --all lists that.');
  else if (looked > 0) output.hint(`${count(looked, 'call')} only looked; --all shows all.`);
  return EXIT.ok;
}
