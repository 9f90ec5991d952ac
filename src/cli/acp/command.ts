/** `clawdcode acp`: serves editors over the Agent Client Protocol, on standard input and output. */
import { Console } from 'node:console';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import type { ReadableStream as WebReadable } from 'node:stream/web';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import type { AcpPorts } from '../../acp/acpAgent.ts';
import { serveAcp } from '../../acp/acpAgent.ts';
import { MAX_LINE_BYTES } from '../../headless/driver/driverMessages.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionQuery } from '../../protocol/sessions.ts';
import { reveal } from '../../protocol/text/reveal.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { previewNotice } from '../../ui/dialog/permission.ts';
import { shownText } from '../../ui/print/sanitize.ts';
import { listerFor } from '../models/modelChoice.ts';
import { type CliOptions, parseArguments } from '../options.ts';
import { createPermissionEngine } from '../permissionThread/ThreadedEngine.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { readAppPaths } from '../process/appPaths.ts';
import { createDebugLog, debugFileOf } from '../process/debugLog.ts';
import { flush, guardOutput } from '../process/guardSession.ts';
import { createTokenEncoder } from '../process/threads.ts';
import { parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { openSessions } from '../sessionCommand/sessions.ts';
import { findModelAccess, readSettings, trustIn } from '../startup.ts';
import { createAcpProgram } from '../subcommands/programs.ts';
import { openForClient } from './openForClient.ts';

/** `argv`: the arguments after `acp`. Serves until the client is gone; returns the exit code. */
export async function acpCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h'))
    return (await parseSubcommand(createAcpProgram(), ['--help'], standardOutput(place))) ?? EXIT.ok;
  const log = (text: string): void => void process.stderr.write(`clawdcode: ${shownText(text)}\n`);
  const parsed = await parseArguments(argv, place.version);
  if (parsed.type === 'exit') {
    process.stderr.write(parsed.stderr);
    return EXIT.badInput;
  }
  const mistake = mistakeIn(parsed.options);
  if (mistake !== undefined) {
    log(mistake);
    return EXIT.badInput;
  }
  const options = withAbsolutePaths(parsed.options, place.cwd);
  const debug = createDebugLog(place.dataRoot, options.debug, () => new Date(), debugFileOf(options, place));
  const threads = {
    encoder: createTokenEncoder(place.packageRoot),
    engine: createPermissionEngine(place, debug.write),
  };
  const { stop, code } = endWithProcess(log);
  const closeAll = await serveAcp(
    protocolStream(),
    {
      version: place.version,
      open: (wanted) => openForClient(wanted, { options, debug, threads }),
      list: listForClient,
      async missingAccess() {
        const loaded = await readSettings(place, options, await trustIn(place));
        const access = await findModelAccess(loaded, options.demo, listerFor(place.env));
        return access.type === 'missing' ? access.message : undefined;
      },
      ...{ reveal, notice: previewNotice, log },
      now: () => Date.now(),
    },
    stop,
  );
  await flush(closeAll);
  return code();
}

/** Flags of single runs and sessions make no sense here. */
const singular = [
  ...(['prompt', 'print', 'continue', 'resume', 'forkSession', 'name', 'sessionId', 'jsonSchema'] as const),
  ...(['maxBudgetUsd', 'directory', 'systemPromptFile', 'appendSystemPromptFile', 'screenReader'] as const),
] as const satisfies readonly (keyof CliOptions)[];

function mistakeIn(options: CliOptions): string | undefined {
  const given = singular.find((key) => options[key] !== undefined && options[key] !== false);
  if (given === undefined && options.sessionPersistence) return undefined;
  const flag = given ?? 'noSessionPersistence';
  const name =
    flag === 'prompt' ? 'A prompt' : `--${flag.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
  return `${name} cannot be used with "clawdcode acp": sessions and prompts come from the editor.`;
}

/** Files and folders of flags are relative to where the program starts, not to the folders of its sessions. */
function withAbsolutePaths(options: CliOptions, cwd: string): CliOptions {
  const isJson = (value: string): boolean => /^\s*\{/.test(value);
  const file = (value: string): string => (isJson(value) ? value : resolve(cwd, value));
  return {
    ...options,
    addDirs: options.addDirs.map((directory) => resolve(cwd, directory)),
    mcpConfig: options.mcpConfig.map(file),
    settings: options.settings === undefined ? undefined : file(options.settings),
  };
}

/** Standard input and output carry the protocol and nothing else. */
function protocolStream(): Stream {
  const { stdin, stdout, stderr } = process;
  // A library that prints would break the protocol.
  globalThis.console = new Console(stderr, stderr);
  const input = Readable.toWeb(stdin) as WebReadable<Uint8Array> as ReadableStream<Uint8Array>;
  return ndJsonStream(sinkOf(stdout), input, { maxMessageBytes: MAX_LINE_BYTES });
}

/** Each write waits until the system has accepted it, so that optional updates slow down for a slow client. */
function sinkOf(output: Writable): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (chunk) =>
      new Promise((taken, failed) => output.write(chunk, (error) => (error ? failed(error) : taken()))),
  });
}

/** Aborts `stop` on signals, and when the client has closed the output, which is a regular end like that of the input. */
function endWithProcess(log: (text: string) => void) {
  const stop = new AbortController();
  let code: number = EXIT.ok;
  const end = (with_: number): void => {
    code = with_;
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => end(128 + constants.signals[signal]));
  guardOutput((failure, message) => {
    if (message !== undefined) log(message);
    end(failure === EXIT.readerLeft ? EXIT.ok : failure);
  });
  return { stop: stop.signal, code: () => code };
}

const PAGE = 50;

/**
 * Sessions on this machine, as the Agent Client Protocol lists them; without archived ones, and those whose folder no
 * longer exists, because they cannot be resumed there.
 */
const listForClient: AcpPorts['list'] = async (cwd, offset) => {
  const sessions = await openSessions(readAppPaths(cwd));
  try {
    const query: SessionQuery = {
      ...(cwd === undefined ? {} : { project: sessions.projects }),
      ...{ archived: false, offset, limit: PAGE },
    };
    const { sessions: page } = await sessions.list(query);
    const found = page.flatMap(({ id, root, isMoved, title, updatedAt }) =>
      root === undefined || isMoved
        ? []
        : [{ sessionId: id, cwd: root, title: visibleLine(title, 200), updatedAt: updatedAt.toISOString() }],
    );
    return { sessions: found, ...(page.length < PAGE ? {} : { next: offset + PAGE }) };
  } finally {
    await sessions.close();
  }
};
