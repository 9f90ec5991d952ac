/** The process around a headless run: its input and output, and how signals or a closed pipe end it. */
import { constants } from 'node:os';
import type { Agent } from '../../agent/types.ts';
import { reveal } from '../../protocol/text/reveal.ts';
import { sanitize, shownText } from '../../ui/print/sanitize.ts';
import type { SessionThreads } from '../openContext.ts';
import type { DebugLog } from '../process/debugLog.ts';
import { flush, guardOutput } from '../process/guardSession.ts';

/** Ends the run before a session is open; `message` goes to standard error. */
export class HeadlessEnd extends Error {
  readonly code: number;

  constructor(code: number, message = '') {
    super(message);
    this.code = code;
  }
}

/** The input and output of a headless run, and what may stop it. */
export interface HeadlessIo {
  /** Read with `--input-format stream-json`. */
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: HeadlessOutput;
  /** Set if results go to a terminal. */
  readonly isTerminal: boolean;
  /** The threads to use, if the process does not end with the run. */
  readonly openThreads?: (debug: DebugLog) => SessionThreads;
  /** Stops `agent` when the run has to end, which aborts `interrupted`; `stopHandling` ends that. */
  readonly watch: (agent: Agent) => {
    readonly interrupted: AbortSignal;
    readonly stopHandling: () => void;
  };
}

/** The program's own process. */
export function processIo(): HeadlessIo {
  const output = createHeadlessOutput();
  return {
    input: process.stdin,
    output,
    isTerminal: process.stdout.isTTY === true,
    watch: (agent) => handleSignals(agent, output),
  };
}

interface HeadlessOutput {
  /** One message for the user, on standard error; the text may quote untrusted files or a server's error. */
  printError(text: string): void;
  /** `isOwn`: output of a command, in which every character is made visible. */
  write(text: string, isOwn: boolean): void;
  writeError(text: string): void;
  /** Prints no more results. */
  close(): void;
}

function createHeadlessOutput(): HeadlessOutput {
  // Terminals interpret escape sequences, so they get plain text only; a file or program gets the model's exact output.
  const plain = ({ isTTY }: { isTTY?: boolean }, text: string): string => (isTTY ? sanitize(text) : text);
  let isClosed = false;
  return {
    printError: (text) => void process.stderr.write(`clawdcode: ${shownText(text)}\n`),
    // In a reply of the model, unusual spaces may belong to the language.
    write: (text, isOwn) =>
      void (isClosed || process.stdout.write(plain(process.stdout, isOwn ? reveal(text) : text))),
    writeError: (text) => void (isClosed || process.stderr.write(plain(process.stderr, reveal(text)))),
    close() {
      isClosed = true;
    },
  };
}

/**
 * Handles signals and a closed pipe while `agent` works: SIGINT interrupts its turn and aborts `interrupted`; SIGTERM,
 * SIGHUP and a closed pipe end the process once the log is complete, without a result.
 */
function handleSignals(agent: Agent, { printError, close }: HeadlessOutput): ReturnType<HeadlessIo['watch']> {
  const stop = new AbortController();
  let isEnding = false;
  const endWith = async (code: number): Promise<never> => {
    isEnding = true;
    close();
    process.exitCode = code;
    await flush(() => agent.close());
    process.exit(code);
  };
  const onInterrupt = (): void => {
    stop.abort();
    agent.submit({ type: 'interrupt' });
  };
  const onEnd = (signal: NodeJS.Signals): void => {
    if (!isEnding) void endWith(128 + constants.signals[signal]);
  };
  process.once('SIGINT', onInterrupt);
  process.on('SIGTERM', onEnd).on('SIGHUP', onEnd);
  // Nothing reads the rest of the reply: stop paying for it.
  guardOutput((code, message) => {
    if (message !== undefined) printError(`${message} Progress is saved; resume with --continue.`);
    void endWith(code);
  });
  return {
    interrupted: stop.signal,
    stopHandling: () => void process.off('SIGINT', onInterrupt).off('SIGTERM', onEnd).off('SIGHUP', onEnd),
  };
}
