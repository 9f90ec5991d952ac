/** Subcommands that change the set of sessions: rename, fork, archive, unarchive, delete. */
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { formatBytes } from '../../ui/print/numbers.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { jsonLine } from './output.ts';
import type { SessionPorts } from './withSession.ts';

/** Maximum characters of a title. */
const MAX_TITLE = 200;

/** Appends the title to the session; it overrides titles from the model and the first prompt. */
export async function rename(
  ports: SessionPorts,
  session: SessionRecord,
  words: readonly string[],
): Promise<number> {
  const title = [...words.join(' ').replace(/\s+/g, ' ').trim()].slice(0, MAX_TITLE).join('');
  if (title === '') {
    ports.output.say('A title needs at least one visible character.');
    return EXIT.badInput;
  }
  const lost = await (await ports.sessions()).rename(session, title);
  await ports.output.line(`Session ${sanitizeLine(session.id)} is now called "${sanitizeLine(title)}".`);
  return afterLoss(ports, lost);
}

/** Prints only the new id, for use in scripts. */
export async function fork(
  ports: SessionPorts,
  session: SessionRecord,
  { at, json }: { readonly at: number | undefined; readonly json: boolean },
): Promise<number> {
  let lost: string | undefined;
  const id = await (await ports.sessions()).fork(session, at, (problem) => {
    lost = problem;
  });
  if (id === undefined) {
    ports.output.say(`Session ${sanitizeLine(session.id)} has no entry #${at} to fork at.`);
    return EXIT.badInput;
  }
  await ports.output.write(json ? jsonLine({ id, forkedFrom: session.id }) : `${id}\n`);
  if (ports.output.isTerminal && !json) ports.output.hint(`Resume the copy with: clawdcode --resume ${id}`);
  return afterLoss(ports, lost);
}

export async function archive(ports: SessionPorts, session: SessionRecord): Promise<number> {
  if (session.isArchived) {
    await ports.output.line(`Session ${sanitizeLine(session.id)} is already archived.`);
    return EXIT.ok;
  }
  const after = await (await ports.sessions()).archive(session);
  await ports.output.line(
    `Session ${sanitizeLine(session.id)} is archived: ${formatBytes(session.bytes)} → ${formatBytes(after)}. You can still find, show and resume it.`,
  );
  return EXIT.ok;
}

export async function unarchive(ports: SessionPorts, session: SessionRecord): Promise<number> {
  if (!session.isArchived) {
    await ports.output.line(`Session ${sanitizeLine(session.id)} is not archived.`);
    return EXIT.ok;
  }
  const { lost } = await (await ports.sessions()).unarchive(session);
  const how = lost === undefined ? 'byte for byte the same' : 'as far as it could be read';
  await ports.output.line(`Session ${sanitizeLine(session.id)} is unarchived, ${how}.`);
  return afterLoss(ports, lost);
}

/** Reports the losses of a damaged archive; returns the exit code. */
function afterLoss({ output }: SessionPorts, lost: string | undefined): number {
  if (lost === undefined) return EXIT.ok;
  output.say(sanitizeLine(lost));
  return EXIT.failed;
}

/** Deletes only with confirmation: an answer at the terminal, or `--yes`. */
export async function remove(
  ports: SessionPorts,
  session: SessionRecord,
  { yes }: { readonly yes: boolean },
): Promise<number> {
  const { output } = ports;
  const id = sanitizeLine(session.id);
  const what = `session ${id} "${sanitizeLine(session.title)}" (${formatBytes(session.bytes)}, ${session.messageCount} entries)`;
  const isSure = yes || (await ports.confirm(`Delete ${what} permanently?`));
  if (isSure === undefined) {
    output.say(`Cannot ask for confirmation here: add --yes to delete ${what}. Nothing was deleted.`);
    return EXIT.badInput;
  }
  if (!isSure) {
    output.say('Nothing was deleted.');
    return EXIT.failed;
  }
  const freed = await (await ports.sessions()).remove(session);
  await output.line(`Session ${id} is deleted; freed ${formatBytes(freed)}.`);
  return EXIT.ok;
}
