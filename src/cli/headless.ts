/** Headless mode (`-p`): runs one prompt; results go to standard output, everything else to standard error. */

import { constants } from 'node:os';
import type { Environment } from '../agent/systemPrompt.ts';
import { parsePermissionMode } from '../config/modes.ts';
import { SessionLockedError } from '../context/index.ts';
import { createDriverLink } from '../headless/driver/driverLink.ts';
import { createCallBack } from '../headless/driver/hostHooks.ts';
import { createHostChannels } from '../headless/driver/hostServers.ts';
import { runDriven } from '../headless/driver/runDriven.ts';
import { EXIT } from '../headless/exitCodes.ts';
import { joinPrompt } from '../headless/joinPrompt.ts';
import { runHeadless } from '../headless/runHeadless.ts';
import { toLine } from '../headless/toLine.ts';
import type { ReportOptions } from '../headless/types.ts';
import { reveal, sanitize } from '../ui/print/sanitize.ts';
import { createConfigPort } from './configPort.ts';
import { type DriverInput, openDriverInput, withHost, withInitialize } from './driverInput.ts';
import { createCommandHost } from './host.ts';
import { leftOutNotice, usableServers } from './mcp/approval.ts';
import { listerFor } from './models/modelChoice.ts';
import { type CliOptions, targetOf } from './options.ts';
import { noPlugins, openPlugins } from './plugins/usedPlugins.ts';
import { type AppPaths, placeNotice } from './process/appPaths.ts';
import { createDebugLog } from './process/debugLog.ts';
import { flush, guardOutput } from './process/exit.ts';
import { readStandardInput } from './process/standardInput.ts';
import { createSessionFactory } from './sessionFactory.ts';
import { resolveTarget } from './sessions/movedSession.ts';
import { describeOpenError, isRefusedByDisk } from './sessions/sessionErrors.ts';
import { allowedToolsOf } from './skillApproval.ts';
import { findModelAccess, heldNotice, readSettings, trustIn } from './startup.ts';
import { openStructuredAnswer } from './structuredAnswer.ts';
import { heldAgentsNotice, usableAgents } from './subagents/definitions.ts';
import { unsupportedNotices } from './unsupportedNotices.ts';

/** Runs one prompt and returns the exit code. `environment` as in `SessionFactoryOptions`. */
export async function printMode(
  place: AppPaths,
  flags: CliOptions,
  environment: () => Promise<Environment>,
): Promise<number> {
  // The text may quote untrusted files or a server's error.
  const printError = (text: string): void =>
    void process.stderr.write(`clawdcode: ${sanitize(reveal(text))}\n`);
  // Terminals interpret escape sequences, so they get plain text only; a file or program gets the model's exact output.
  const plain = ({ isTTY }: { isTTY?: boolean }, text: string): string => (isTTY ? sanitize(text) : text);
  const given = await readInput(flags);
  if (given.type === 'end') {
    if (given.message !== undefined) printError(given.message);
    return given.code;
  }
  const options = given.type === 'driver' ? withInitialize(flags, given.input) : flags;
  const trust = await trustIn(place);
  const settings = await readSettings(place, options, trust);
  const loaded = given.type === 'driver' ? withHost(settings, given.input, place.root) : settings;
  for (const problem of loaded.problems) printError(problem.message);
  for (const notice of await unsupportedNotices(place.dataRoot, loaded)) printError(notice);
  const where = placeNotice(place);
  if (where !== undefined) printError(where);
  if (loaded.problems.some((problem) => problem.layer === 'flag')) return EXIT.badSettings;
  const held = heldNotice(loaded, trust);
  if (held !== undefined) printError(held);
  const leftOut = leftOutNotice(loaded, trust);
  if (leftOut !== undefined) printError(leftOut);
  const access = await findModelAccess(loaded, options.demo, listerFor(place.env));
  if (access.type === 'missing') {
    printError(access.message);
    return access.problem === undefined ? EXIT.noAccess : EXIT.badSettings;
  }
  const structured = await openStructuredAnswer(options.jsonSchema, place.cwd);
  if (structured !== undefined && 'mistake' in structured) {
    printError(structured.mistake);
    return EXIT.badInput;
  }
  const limits = { maxBudgetUsd: options.maxBudgetUsd, structured };
  const debug = createDebugLog(place.dataRoot, options.debug, () => new Date());
  const { safeMode: isSafe } = options;
  const plugins = isSafe ? noPlugins : await openPlugins(place, loaded, options.strictMcpConfig);
  for (const notice of plugins.current().notices) printError(notice);
  // Command output makes every character visible; in a reply of the model, unusual spaces may belong to the language.
  const isTold = process.stdout.isTTY && given.type === 'prompt' && given.prompt.startsWith('/');
  let terminated = false;
  const write = (text: string): void =>
    void (terminated || process.stdout.write(plain(process.stdout, isTold ? reveal(text) : text)));
  const link = createDriverLink((message) => write(toLine(message)));
  const channels = createHostChannels(link);
  const factory = createSessionFactory({
    place,
    loaded,
    apiKey: access.apiKey,
    model: access.model,
    modelForced: options.model !== undefined,
    demo: options.demo,
    isEphemeral: !options.sessionPersistence,
    interactive: false,
    sandboxMode: options.sandbox,
    systemPrompt: options.systemPrompt,
    builtinTools: options.tools,
    debug,
    environment,
    isTrusted: trust.isTrusted,
    servers: usableServers(loaded, trust),
    plugins,
    allowedTools: allowedToolsOf(place, trust),
    isSafe,
    agents: (ofPlugins) => usableAgents({ place, trust, flag: options.agents, plugins: ofPlugins, isSafe }),
    answerTool: structured?.tool,
    ...(given.type === 'driver' && {
      driver: { callBack: createCallBack(link), openHostChannel: channels.open },
    }),
  });
  const asked = targetOf(options);
  if (asked === undefined) {
    printError('--resume needs an id or a title with -p; "clawdcode session" lists the sessions.');
    return EXIT.badInput;
  }
  const target = asked.type === 'latest' ? await resolveTarget(asked, place) : asked;
  if (target.type === 'latest') {
    printError('there is no session to continue in this project.');
    return EXIT.badInput;
  }
  let opened: Awaited<ReturnType<typeof factory.open>>;
  try {
    opened = await factory.open(target);
  } catch (error) {
    const message = describeOpenError(error);
    if (message === undefined && isRefusedByDisk(error)) {
      printError(
        `The session could not be opened: ${error.message}. Check the disk that holds ${place.dataRoot}.`,
      );
      return EXIT.failed;
    }
    if (message === undefined) throw error;
    const isHeld = error instanceof SessionLockedError;
    printError(isHeld ? `${message} --fork-session continues in a copy.` : message);
    return EXIT.badInput;
  }
  for (const notice of opened.notices) printError(notice);
  const heldAgents = heldAgentsNotice(opened.agents(), trust);
  if (heldAgents !== undefined) printError(heldAgents);
  opened.onAssumedWindow(printError);
  const { agent } = opened;
  const stop = new AbortController();
  const onInterrupt = (): void => {
    stop.abort();
    agent.submit({ type: 'interrupt' });
  };
  process.once('SIGINT', onInterrupt);
  // On SIGTERM or SIGHUP, running work is stopped and the log is completed, but the turn has no result to print.
  const endWith = async (code: number): Promise<never> => {
    terminated = true;
    process.exitCode = code;
    await flush(() => agent.close());
    process.exit(code);
  };
  // The reader of the output is gone: stop, so that the rest of the reply costs nothing.
  guardOutput((code, message) => {
    if (message !== undefined) printError(`${message} Progress is saved; resume with --continue.`);
    void endWith(code);
  });
  const endings = (['SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const handler = (): void => {
      if (!terminated) void endWith(128 + constants.signals[signal]);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  // Use the loaded settings rather than the flag, because managed settings override it.
  if (options.permissionMode !== undefined)
    agent.submit({ type: 'set_mode', mode: loaded.settings.permissions.defaultMode });
  // The first line of stream-json lists servers and tools, and prompts of servers are commands: wait for the servers.
  const settle = async (signal: AbortSignal): Promise<void> => opened.mcp()?.settle(signal);
  if (
    given.type === 'prompt' &&
    (options.outputFormat === 'stream-json' || given.prompt.startsWith('/mcp__'))
  )
    await settle(stop.signal);
  const { agents } = opened.agents();
  const run: Omit<ReportOptions, 'outputFormat'> = {
    host: createCommandHost({
      ...{ opened, factory, place, loaded, trust, debug },
      config: createConfigPort(place, options, loaded),
    }),
    includePartialMessages: options.includePartialMessages,
    includeHookEvents: options.includeHookEvents,
    write,
    writeError: (text) => void (terminated || process.stderr.write(plain(process.stderr, reveal(text)))),
    now: () => Date.now(),
    tools: opened.tools,
    skills: opened.skills.found.skills.filter(({ kind }) => kind === 'skill').map(({ name }) => name),
    agents: agents.map(({ name }) => name),
    servers: () => opened.mcp()?.status() ?? [],
  };
  const code =
    given.type === 'prompt'
      ? await runHeadless({
          ...{ ...run, limits },
          prompt: given.prompt,
          typed: given.typed,
          outputFormat: options.outputFormat,
        })
      : await runDriven({
          ...run,
          ...{ limits, link, channels, settle },
          messages: given.input.messages,
          setup: given.input.setup,
          replayUserMessages: options.replayUserMessages,
          asksDriver: options.permissionPromptTool === 'stdio',
          subagents: agents.map(({ name, description }) => ({ name, description })),
          mayBypass: options.allowBypass,
          parseMode: parsePermissionMode,
          stop: stop.signal,
        });
  await agent.close();
  process.off('SIGINT', onInterrupt);
  for (const { signal, handler } of endings) process.off(signal, handler);
  return stop.signal.aborted ? EXIT.interrupted : code;
}

/** What there is to do: a prompt, a program that drives the session, or nothing. */
type Given =
  | { readonly type: 'prompt'; readonly prompt: string; readonly typed?: string }
  | { readonly type: 'driver'; readonly input: DriverInput }
  | { readonly type: 'end'; readonly code: number; readonly message?: string };

async function readInput({ inputFormat, prompt }: CliOptions): Promise<Given> {
  if (inputFormat === 'text') {
    const joined = joinPrompt(prompt, await readStandardInput(prompt !== undefined));
    if (joined.type === 'error') return { type: 'end', code: EXIT.badInput, message: joined.message };
    return { ...joined, type: 'prompt' };
  }
  const input = await openDriverInput(process.stdin);
  if (input.first === undefined) return { type: 'end', code: EXIT.ok };
  if (input.first.type !== 'malformed') return { type: 'driver', input };
  return { type: 'end', code: EXIT.badInput, message: input.first.problem };
}
