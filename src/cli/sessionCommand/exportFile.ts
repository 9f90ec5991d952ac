/** `clawdcode session export`: writes a session as a document to a file or to standard output. */
import { open, rm } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { exportSession } from '../../export/exportSession.ts';
import { type ExportFormat, exportFormats } from '../../export/types.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { count } from '../../protocol/text/numbers.ts';
import { sanitize, sanitizeLine } from '../../ui/print/sanitize.ts';
import { ownSecrets } from './ownSettings.ts';
import { readEntries } from './readEntries.ts';
import type { SessionPorts } from './withSession.ts';

interface ExportArguments {
  /** Default: by the file's extension, otherwise Markdown. */
  readonly format: ExportFormat | undefined;
  /** Relative to the working directory. */
  readonly output: string | undefined;
  readonly redact: boolean;
  readonly toolOutputs: boolean;
  readonly reasoning: boolean;
}

/** Writes while reading, so memory does not grow with the session. Never overwrites an existing file. */
export async function exportFile(
  ports: SessionPorts,
  session: SessionRecord,
  given: ExportArguments,
): Promise<number> {
  const { output, place, now } = ports;
  const { redact, toolOutputs, reasoning } = given;
  const marks = new Set<string>();
  let loss: string | undefined;
  const onLoss = (problem: string): void => {
    loss = problem;
  };
  const pieces = exportSession(readEntries(session, { type: 'from', seq: 0 }, onLoss), {
    format: given.format ?? formatOf(given.output),
    meta: {
      title: session.title,
      sessionId: session.id,
      ...(session.root === undefined ? {} : { project: session.root }),
      programVersion: place.version,
      exportedAt: now(),
    },
    redact,
    own: redact ? await ownSecrets(place) : [],
    onRedacted: (mark) => marks.add(mark),
    toolOutputs,
    reasoning,
  });
  if (given.output === undefined) {
    // Terminals interpret escape sequences; a file or program gets the document unchanged.
    for await (const piece of pieces)
      if (!(await output.write(output.isTerminal ? sanitize(piece) : piece))) return EXIT.ok;
  } else {
    const file = resolve(place.cwd, given.output);
    if (!(await writeNew(file, pieces))) {
      output.say(`${sanitizeLine(file)} already exists and is not overwritten: choose another name.`);
      return EXIT.badInput;
    }
    await output.line(`Session ${sanitizeLine(session.id)} is in ${sanitizeLine(file)}.`);
  }
  if (marks.size > 0) output.hint(`${count(marks.size, 'secret')} redacted; --no-redact keeps them.`);
  if (loss === undefined) return EXIT.ok;
  output.say(`Session ${sanitizeLine(session.id)} is not complete: ${sanitizeLine(loss)}`);
  return EXIT.failed;
}

function formatOf(file: string | undefined): ExportFormat {
  const ending = extname(file ?? '')
    .slice(1)
    .toLowerCase();
  return exportFormats.find((format) => format === ending) ?? (ending === 'htm' ? 'html' : 'md');
}

/** Returns false if the file exists. Deletes an unfinished file. */
async function writeNew(file: string, pieces: AsyncIterable<string>): Promise<boolean> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  if (handle === undefined) return false;
  let isWhole = false;
  try {
    for await (const piece of pieces) await handle.writeFile(piece);
    isWhole = true;
  } finally {
    await handle.close();
    if (!isWhole) await rm(file, { force: true });
  }
  return true;
}
