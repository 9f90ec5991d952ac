/** Headless mode (`-p`): runs one prompt; results go to standard output, everything else to standard error. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SessionTarget } from '../../agent/types.ts';
import type { CommandHost } from '../../commands/types.ts';
import { parsePermissionMode } from '../../config/modes.ts';
import type { FolderTrust } from '../../config/trust.ts';
import { isOtherFolder, SessionLockedError } from '../../context/index.ts';
import type { AskAboutCall } from '../../headless/callQuestions.ts';
import { createDriverLink } from '../../headless/driver/driverLink.ts';
import { createCallBack } from '../../headless/driver/hostHooks.ts';
import { createHostChannels } from '../../headless/driver/hostServers.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { joinPrompt, MAX_PROMPT_BYTES } from '../../headless/joinPrompt.ts';
import { runHeadless } from '../../headless/runHeadless.ts';
import type { ReportOptions } from '../../headless/types.ts';
import { toLine } from '../../headless/wireMessages.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import type { StructuredOutput } from '../../tools/structuredOutput.ts';
import { createConfigPort } from '../configPort.ts';
import { damagedNotices } from '../damagedNotices.ts';
import { leftOutNotice } from '../mcp/approval.ts';
import { listerFor } from '../models/modelChoice.ts';
import { type CliOptions, targetOf } from '../options.ts';
import { type AppPaths, rootNotice } from '../process/appPaths.ts';
import { createDebugLog, debugFileOf } from '../process/debugLog.ts';
import type { ReadEnvironment } from '../process/environment.ts';
import { createSessionFactory } from '../sessionFactory.ts';
import { describeOpenError, isRefusedByDisk, StorageFailure } from '../sessions/sessionErrors.ts';
import {
  findModelAccess,
  identifyFolder,
  readSettings,
  sessionOptions,
  trustIn,
  untrustedSettingsNotice,
} from '../startup.ts';
import { unapprovedAgentsNotice, usableAgents } from '../subagents/definitions.ts';
import { unsupportedNotices } from '../unsupportedNotices.ts';
import { type DriverInput, openDriverInput, withHost, withInitialize } from './driverInput.ts';
import { HeadlessEnd, type HeadlessIo } from './headlessProcess.ts';
import { createSessionPorts } from './sessionPorts.ts';

/** Runs one prompt and returns the exit code. `environment` as in `SessionFactoryOptions`. */
export async function printMode(
  place: AppPaths,
  flags: CliOptions,
  environment: ReadEnvironment,
  io: HeadlessIo,
): Promise<number> {
  try {
    const run = await prepare(place, flags, io);
    const session = await openSession(run, io, environment);
    return await work(run, session, io);
  } catch (error) {
    if (!(error instanceof HeadlessEnd)) throw error;
    if (error.message !== '') io.output.printError(error.message);
    return error.code;
  }
}

/** Everything that is prepared before a session is opened. */
type Prepared = Awaited<ReturnType<typeof prepare>>;

/** Reads input and settings and finds a model. Throws a `HeadlessEnd` if the run cannot begin. */
async function prepare(place: AppPaths, flags: CliOptions, { input, output: { printError } }: HeadlessIo) {
  const given = await readInput(flags, input);
  const trust = await trustIn(place);
  const asked = given.type === 'driver' ? withInitialize(flags, given.input) : flags;
  const options = await withMainAgent(asked, place, trust);
  const settings = await readSettings(place, options, trust);
  const loaded = given.type === 'driver' ? withHost(settings, given.input, place.root) : settings;
  const notices = [
    ...loaded.problems.map(({ message }) => message),
    ...(await damagedNotices(place)),
    ...(await unsupportedNotices(place.dataRoot, loaded)),
    rootNotice(place),
  ];
  for (const notice of notices) if (notice !== undefined) printError(notice);
  if (loaded.problems.some(({ layer, isLeftOut }) => layer === 'flag' && isLeftOut !== true))
    throw new HeadlessEnd(EXIT.badSettings);
  await identifyFolder(place, settings, trust);
  for (const notice of [untrustedSettingsNotice(loaded, trust), leftOutNotice(loaded, trust)])
    if (notice !== undefined) printError(notice);
  const access = await findModelAccess(loaded, options.demo, listerFor(place.env));
  if (access.type === 'missing')
    throw new HeadlessEnd(access.problem === undefined ? EXIT.noAccess : EXIT.badSettings, access.message);
  const structured = await openStructuredAnswer(options.jsonSchema, place.cwd);
  if (structured !== undefined && 'mistake' in structured)
    throw new HeadlessEnd(EXIT.badInput, structured.mistake);
  const debug = createDebugLog(place.dataRoot, options.debug, () => new Date(), debugFileOf(options, place));
  return { place, given, options, trust, loaded, access, structured, debug };
}

type OpenSession = Awaited<ReturnType<typeof openSession>>;

/** Opens the session. Throws a `HeadlessEnd` if there is none, or if it cannot be opened. */
async function openSession(
  { place, given, options, trust, loaded, access, structured, debug }: Prepared,
  { output: { printError, write: print }, isTerminal, openThreads }: HeadlessIo,
  environment: ReadEnvironment,
) {
  const settled = await sessionOptions({ place, options, trust, loaded, access });
  const { plugins } = settled;
  for (const notice of plugins.current().notices) printError(notice);
  const isOwn = isTerminal && given.type === 'prompt' && given.prompt.startsWith('/');
  const write = (text: string): void => print(text, isOwn);
  const link = createDriverLink((message) => write(toLine(message)));
  const channels = createHostChannels(link);
  const factory = createSessionFactory({
    ...settled,
    ...{ interactive: false, debug, environment },
    threads: openThreads?.(debug),
    isEphemeral: !options.sessionPersistence,
    answerTool: structured?.tool,
    ...(given.type === 'driver' && {
      driver: { callBack: createCallBack(link), openHostChannel: channels.open },
    }),
  });
  const { target, rewindTo } = await resumedIn(await targetIn(options, place), options, place);
  const opened = await factory.open(target).catch((error) => {
    throw openProblem(error, place);
  });
  if (rewindTo !== undefined) await (await import('./resumeAt.ts')).rewindBefore(rewindTo, opened.agent);
  for (const notice of [...opened.notices, unapprovedAgentsNotice(opened.agents(), trust)])
    if (notice !== undefined) printError(notice);
  opened.onAssumedWindow(printError);
  return { factory, opened, write, link, channels };
}

async function targetIn(options: CliOptions, place: AppPaths): Promise<SessionTarget> {
  const asked = targetOf(options);
  if (asked === undefined)
    throw new HeadlessEnd(
      EXIT.badInput,
      '--resume needs an id or a title with -p; "clawdcode session" lists the sessions.',
    );
  const target = asked.type === 'latest' ? await found(asked, place) : asked;
  // Nothing is sent before the user has said which conversation they mean.
  if (asked.type === 'latest' && target.type === 'id' && (await isOtherFolder(place.dataRoot, place.root)))
    throw new HeadlessEnd(
      EXIT.badInput,
      `the latest session was started in another folder, which used to be at ${place.root}; --resume ${target.id} continues it here.`,
    );
  if (target.type === 'latest')
    throw new HeadlessEnd(EXIT.badInput, 'there is no session to continue in this project.');
  return target;
}

async function resumedIn(
  target: SessionTarget,
  { resumeSessionAt }: CliOptions,
  place: AppPaths,
): Promise<{ readonly target: SessionTarget; readonly rewindTo?: string }> {
  if (resumeSessionAt === undefined) return { target };
  const { resumeAt } = await import('./resumeAt.ts');
  return resumeAt(target, resumeSessionAt, place).catch((error) => {
    throw openProblem(error, place);
  });
}

async function found(target: SessionTarget, place: AppPaths): Promise<SessionTarget> {
  const { resolveTarget } = await import('../sessions/locateTarget.ts');
  return resolveTarget(target, place).catch((error: unknown) => {
    throw openProblem(error, place);
  });
}

/** The error to throw if a session could not be opened; an unexpected one stays as it is. */
function openProblem(error: unknown, { dataRoot }: AppPaths): unknown {
  const message = describeOpenError(error);
  if (message !== undefined) {
    const isHeld = error instanceof SessionLockedError;
    const text = isHeld ? `${message} --fork-session continues in a copy.` : message;
    return new HeadlessEnd(error instanceof StorageFailure ? EXIT.failed : EXIT.badInput, text);
  }
  if (!isRefusedByDisk(error)) return error;
  const text = `The session could not be opened: ${error.message}. Check the disk that holds ${dataRoot}.`;
  return new HeadlessEnd(EXIT.failed, text);
}

/** Runs the prompt, or the driving program's requests, and closes the session. Returns the exit code. */
async function work(
  { place, given, options, trust, loaded, structured, debug }: Prepared,
  { factory, opened, write, link, channels }: OpenSession,
  { output, isTerminal, watch }: HeadlessIo,
): Promise<number> {
  const { agent } = opened;
  const { interrupted, stopHandling } = watch(agent);
  // Use the loaded settings rather than the flag, because managed settings override it.
  if (options.permissionMode !== undefined)
    agent.submit({ type: 'set_mode', mode: loaded.settings.permissions.defaultMode });
  // The first line of stream-json lists servers and tools, and prompts of servers are commands: wait for the servers.
  const settle = async (signal: AbortSignal): Promise<void> => opened.mcp()?.settle(signal);
  const needsServers = options.outputFormat === 'stream-json';
  if (given.type === 'prompt' && (needsServers || given.prompt.startsWith('/mcp__')))
    await settle(interrupted);
  const { agents } = opened.agents();
  const askAboutCall = await askerOf(options, { link, settle, mcp: opened.mcp });
  const limits = { maxBudgetUsd: options.maxBudgetUsd, structured };
  const loadHost = async (): Promise<CommandHost> => {
    const { createCommandHost } = await import('../host.ts');
    const config = createConfigPort(place, options, loaded);
    return createCommandHost({ opened, factory, place, loaded, trust, debug, isTerminal, config });
  };
  let host: Promise<CommandHost> | undefined;
  const run: Omit<ReportOptions, 'outputFormat'> = {
    agent,
    allowanceLimits: {
      isManagedOnly: loaded.settings.allowManagedPermissionRulesOnly,
      refused: loaded.refusedModes,
    },
    modelInfo: opened.modelInfo,
    host: () => (host ??= loadHost()),
    includePartialMessages: options.includePartialMessages,
    includeHookEvents: options.includeHookEvents,
    write,
    writeError: output.writeError,
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
          ...{ prompt: given.prompt, typed: given.typed, askAboutCall },
          outputFormat: options.outputFormat,
        })
      : await (await import('../../headless/driver/runDriven.ts')).runDriven({
          ...run,
          ...{ limits, link, channels, settle },
          messages: given.input.messages,
          setup: given.input.setup,
          replayUserMessages: options.replayUserMessages,
          askAboutCall,
          session: createSessionPorts(opened, place, given.input.setup.servers.servers),
          subagents: agents.map(({ name, description }) => ({ name, description })),
          mayBypass: options.allowBypass,
          parseMode: parsePermissionMode,
          stop: interrupted,
        });
  await agent.close();
  stopHandling();
  return interrupted.aborted ? EXIT.interrupted : code;
}

/** Who decides about calls that need approval; undefined if they are denied. The code is loaded only with the flag. */
async function askerOf(
  { permissionPromptTool: tool, permissionPrompts }: CliOptions,
  {
    link,
    settle,
    mcp,
  }: Pick<OpenSession, 'link'> & {
    readonly settle: (signal: AbortSignal) => Promise<void>;
    readonly mcp: OpenSession['opened']['mcp'];
  },
): Promise<AskAboutCall | undefined> {
  if (tool === undefined || permissionPrompts === 'none') return undefined;
  const { askDriver, askTool } = await import('../../headless/callQuestions.ts');
  return tool === 'stdio' ? askDriver(link) : askTool(tool, mcp, settle);
}

/** The input: a prompt, or a program that drives the session. */
type Given =
  | { readonly type: 'prompt'; readonly prompt: string; readonly typed?: string }
  | { readonly type: 'driver'; readonly input: DriverInput };

async function readInput({ inputFormat, prompt }: CliOptions, stdin: HeadlessIo['input']): Promise<Given> {
  if (inputFormat === 'text') {
    const joined = joinPrompt(prompt, await readStandardInput(prompt !== undefined));
    if (joined.type === 'error') throw new HeadlessEnd(EXIT.badInput, joined.message);
    return { ...joined, type: 'prompt' };
  }
  const input = await openDriverInput(stdin);
  if (input.first === undefined) throw new HeadlessEnd(EXIT.ok);
  if (input.first.type === 'malformed') throw new HeadlessEnd(EXIT.badInput, input.first.problem);
  return { type: 'driver', input };
}

// `--json-schema`: the tool for the model's answer; its code is loaded only with the flag.

/** `given` is JSON text, or a file relative to `cwd`. Undefined without the flag; `mistake` is ready to show. */
async function openStructuredAnswer(
  given: string | undefined,
  cwd: string,
): Promise<StructuredOutput | { readonly mistake: string } | undefined> {
  if (given === undefined) return undefined;
  try {
    const text = /^\s*\{/.test(given) ? given : await readFile(resolve(cwd, given), 'utf8');
    const { createStructuredOutput } = await import('../../tools/structuredOutput.ts');
    return createStructuredOutput(text);
  } catch (error) {
    return { mistake: `--json-schema cannot be used: ${(error as Error).message}.` };
  }
}

/** Milliseconds to wait for the first byte if there is also a prompt argument: some callers leave a pipe open. */
const FIRST_BYTE_MS = 3000;

/**
 * Reads all of standard input if it is piped or a file; undefined at a terminal. With `optional`, a silent pipe counts
 * as empty. Stops just above the size limit of a prompt.
 */
async function readStandardInput(optional: boolean): Promise<string | undefined> {
  const { stdin } = process;
  if (stdin.isTTY) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const patience = optional ? setTimeout(() => stdin.destroy(), FIRST_BYTE_MS) : undefined;
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      clearTimeout(patience);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_PROMPT_BYTES) break;
    }
  } catch {
    // A closed, silent or unreadable standard input counts as none.
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks).toString('utf8');
}

// `--agent`: the session itself follows the definition of a subagent.

/**
 * Adds the definition's instructions, tools and model, where flags do not name others. Throws a `HeadlessEnd` if there is
 * no such definition.
 */
async function withMainAgent(options: CliOptions, place: AppPaths, trust: FolderTrust): Promise<CliOptions> {
  const { agent: name, agents: flag, safeMode: isSafe } = options;
  if (name === undefined) return options;
  const { agents } = await usableAgents({ place, trust, flag, isSafe });
  const found = agents.find((one) => one.name === name);
  if (found === undefined) {
    const names = agents.map((one) => one.name).join(', ');
    const message = `there is no agent ${JSON.stringify(visibleLine(name, 60))} for --agent. Defined: ${names}.`;
    throw new HeadlessEnd(EXIT.badInput, message);
  }
  const { prompt, tools, disallowedTools, model } = found;
  return {
    ...options,
    systemPrompt: options.systemPrompt ?? prompt,
    tools: options.tools ?? tools,
    model: options.model ?? model,
    disallowedTools: [...options.disallowedTools, ...disallowedTools],
  };
}
