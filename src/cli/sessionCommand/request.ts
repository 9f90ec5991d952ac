/** `clawdcode session request <session>`: shows exactly what was sent to the model, rebuilt from the log. */
import { join } from 'node:path';
import { BlobStore, folderOfLog, rebuildRequest, requestsIn } from '../../context/index.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { bodyHash } from '../../model/wires/chat/body.ts';
import { rebuildBody } from '../../model/wires/rebuildBody.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { StorageFailure } from '../sessions/sessionErrors.ts';
import { jsonDocument } from './output.ts';
import { readEntries } from './readEntries.ts';
import type { SessionPorts } from './withSession.ts';

interface RequestOptions {
  /** The entry that the request led to; absent = the newest request. */
  readonly seq: number | undefined;
  /** List the requests, one per line. */
  readonly list: boolean;
}

/** Prints the body as indented JSON; exits with 1 if the log no longer reproduces the bytes that were sent. */
export async function request(
  { output }: SessionPorts,
  session: SessionRecord,
  { seq, list }: RequestOptions,
): Promise<number> {
  const entries: JSONLEntry[] = [];
  const id = sanitizeLine(session.id);
  let code: number = EXIT.ok;
  const onLoss = (problem: string): void => {
    code = EXIT.failed;
    output.say(`Session ${id}: ${sanitizeLine(problem)}`);
  };
  for await (const entry of readEntries(session, { type: 'from', seq: 0 }, onLoss)) entries.push(entry);
  const requests = requestsIn(entries);
  if (list) {
    for (const one of requests) if (!(await output.write(requestLine(one)))) return code;
    if (requests.length === 0) output.hint(`Session ${id} has no record of its requests.`);
    return code;
  }
  const wanted = seq ?? requests.at(-1)?.seq;
  const blobs = new BlobStore(join(folderOfLog(session.file), 'blobs'));
  const readBlob = (hash: string) => blobs.read({ hash });
  const rebuilt = wanted === undefined ? undefined : await rebuild({ entries, readBlob }, wanted);
  if (rebuilt === undefined) {
    const where = seq === undefined ? 'no record of its requests' : `no request recorded with entry #${seq}`;
    output.say(`Session ${id} has ${where}; --list shows those it has.`);
    return EXIT.badInput;
  }
  await output.write(jsonDocument(JSON.parse(rebuilt.body)));
  if (bodyHash(rebuilt.body) === rebuilt.hash) return code;
  output.say(
    `This is not byte for byte what was sent: the log of session ${id} has changed since, or another version of the program sent it.`,
  );
  return EXIT.failed;
}

/** The last body that was sent, and its recorded hash. Undefined if the entry records no request. */
async function rebuild(
  source: Parameters<typeof rebuildRequest>[0],
  seq: number,
): Promise<{ readonly body: string; readonly hash: string } | undefined> {
  try {
    const rebuilt = await rebuildRequest(source, seq);
    const sent = rebuilt?.sent.at(-1);
    if (rebuilt === undefined || sent === undefined) return undefined;
    return { body: rebuildBody(rebuilt.request, sent), hash: sent.hash };
  } catch (error) {
    // The log may have been damaged or edited in any way.
    const reason = error instanceof Error ? error.message : String(error);
    throw new StorageFailure(
      `The request that led to entry #${seq} cannot be rebuilt, because the log or what it refers to has changed: ${reason}`,
      { cause: error },
    );
  }
}

/** Formats a request: entry, time, purpose, model and outcome. */
function requestLine(entry: JSONLEntry): string {
  const { seq, timestamp, message } = entry;
  const facts = entry.subtype === 'request' ? entry.data : undefined;
  const outcome = entry.type === 'assistant' ? message.finishReason : facts?.outcome;
  const model = (entry.type === 'assistant' ? entry.data : facts)?.request?.model;
  const words = [`#${seq}`, timestamp, facts?.purpose ?? 'turn', model ?? '', outcome ?? ''];
  return `${sanitizeLine(words.filter((word) => word !== '').join('  '))}\n`;
}
