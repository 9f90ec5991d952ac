/** Standard input of a session that another program drives: the messages, of which the first is read in advance. */
import { type DriverMessage, parseDriverLine } from '../headless/driver/driverMessages.ts';
import { inputLines } from '../headless/driver/inputLines.ts';

export interface DriverInput {
  /** The first message that means something; undefined if the driver closed its side without one. */
  readonly first: DriverMessage | undefined;
  /** All messages, `first` included. */
  readonly messages: AsyncIterable<DriverMessage>;
}

/** Waits for the first message: it may say with which system prompt the session begins. */
export async function openDriverInput(stdin: AsyncIterable<Uint8Array>): Promise<DriverInput> {
  const rest = messagesOf(stdin);
  const ignored: DriverMessage[] = [];
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    const first = next.value;
    if (first.type !== 'ignored') return { first, messages: following([...ignored, first], rest) };
    ignored.push(first);
    // An endless stream of lines without meaning must not fill the memory.
    if (ignored.length > MAX_IGNORED) ignored.shift();
  }
  return { first: undefined, messages: following(ignored, rest) };
}

const MAX_IGNORED = 20;

async function* messagesOf(stdin: AsyncIterable<Uint8Array>): AsyncGenerator<DriverMessage, void, undefined> {
  for await (const line of inputLines(stdin)) yield parseDriverLine(line);
}

async function* following(
  read: readonly DriverMessage[],
  rest: AsyncGenerator<DriverMessage, void, undefined>,
): AsyncGenerator<DriverMessage, void, undefined> {
  yield* read;
  yield* rest;
}
