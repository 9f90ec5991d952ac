/** `-p`: one prompt, results on standard output, everything else on standard error. */

import { constants } from 'node:os';
import type { Environment } from '../agent/systemPrompt.ts';
import { SessionLockedError } from '../context/index.ts';
import { EXIT } from '../headless/exitCodes.ts';
import { joinPrompt } from '../headless/joinPrompt.ts';
import { runHeadless } from '../headless/runHeadless.ts';
import { reveal, sanitize } from '../ui/print/sanitize.ts';
import { createCommandHost } from './host.ts';
import { leftOutNotice, usableServers } from './mcp/approval.ts';
import { listerFor } from './models/modelChoice.ts';
import { type CliOptions, targetOf } from './options.ts';
import { type AppPaths, placeNotice } from './process/appPaths.ts';
import { createDebugLog } from './process/debugLog.ts';
import { flush, guardOutput } from './process/exit.ts';
import { readStandardInput } from './process/standardInput.ts';
import { createSessionFactory } from './sessionFactory.ts';
import { whereItLies } from './sessions/movedSession.ts';
import { describeOpenError, isRefusedByDisk } from './sessions/sessionErrors.ts';
import { findModelAccess, heldNotice, readSettings, trustIn } from './startup.ts';

/** Returns the exit code. `environment` as in `SessionFactoryOptions`. */
export async function printMode(
  place: AppPaths,
  options: CliOptions,
  environment: () => Promise<Environment>,
): Promise<number> {
  // What is said may quote a file of a stranger's or a server's error.
  const say = (text: string): void => void process.stderr.write(`clawdcode: ${sanitize(reveal(text))}\n`);
  // A terminal obeys what it is sent, so it gets text only; a file or a program gets what the model wrote.
  const plain = ({ isTTY }: { isTTY?: boolean }, text: string): string => (isTTY ? sanitize(text) : text);
  const joined = joinPrompt(options.prompt, await readStandardInput(options.prompt !== undefined));
  if (joined.type === 'error') {
    say(joined.message);
    return EXIT.badInput;
  }
  const trust = await trustIn(place);
  const loaded = await readSettings(place, options, trust);
  for (const problem of loaded.problems) say(problem.message);
  const where = placeNotice(place);
  if (where !== undefined) say(where);
  if (loaded.problems.some((problem) => problem.layer === 'flag')) return EXIT.badSettings;
  const held = heldNotice(loaded, trust);
  if (held !== undefined) say(held);
  const leftOut = leftOutNotice(loaded, trust);
  if (leftOut !== undefined) say(leftOut);
  const access = await findModelAccess(loaded, options.demo, listerFor(place.env));
  if (access.type === 'missing') {
    say(access.message);
    return access.problem === undefined ? EXIT.noAccess : EXIT.badSettings;
  }
  const debug = createDebugLog(place.dataRoot, options.debug, () => new Date());
  const factory = createSessionFactory({
    place,
    loaded,
    apiKey: access.apiKey,
    model: access.model,
    modelForced: options.model !== undefined,
    demo: options.demo,
    interactive: false,
    sandboxMode: options.sandbox,
    debug,
    environment,
    servers: usableServers(loaded, trust),
  });
  const asked = targetOf(options);
  if (asked === undefined) {
    say('--resume needs an id or a title with -p; "clawdcode session" lists the sessions.');
    return EXIT.badInput;
  }
  const target = asked.type === 'latest' ? await whereItLies(asked, place) : asked;
  if (target.type === 'latest') {
    say('there is no session to continue in this project.');
    return EXIT.badInput;
  }
  let opened: Awaited<ReturnType<typeof factory.open>>;
  try {
    opened = await factory.open(target);
  } catch (error) {
    const message = describeOpenError(error);
    if (message === undefined && isRefusedByDisk(error)) {
      say(`The session could not be opened: ${error.message}. Check the disk that holds ${place.dataRoot}.`);
      return EXIT.failed;
    }
    if (message === undefined) throw error;
    const isHeld = error instanceof SessionLockedError;
    say(isHeld ? `${message} --fork-session continues in a copy.` : message);
    return EXIT.badInput;
  }
  for (const notice of opened.notices) say(notice);
  opened.onAssumedWindow(say);
  const { agent } = opened;
  let interrupted = false;
  const onInterrupt = (): void => {
    interrupted = true;
    agent.submit({ type: 'interrupt' });
  };
  process.once('SIGINT', onInterrupt);
  // Terminated: what runs is ended and the log is whole, but the turn has no result to speak of.
  let terminated = false;
  const endWith = async (code: number): Promise<never> => {
    terminated = true;
    process.exitCode = code;
    await flush(() => agent.close());
    process.exit(code);
  };
  // Nobody reads the answer any more: what it still would cost is saved.
  guardOutput((code, message) => {
    if (message !== undefined) say(`${message} Progress is saved; resume with --continue.`);
    void endWith(code);
  });
  const endings = (['SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const handler = (): void => {
      if (!terminated) void endWith(128 + constants.signals[signal]);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  // As the settings have it: managed ones win over the flag.
  if (options.permissionMode !== undefined)
    agent.submit({ type: 'set_mode', mode: loaded.settings.permissions.defaultMode });
  // What a command tells of rules and files leaves nothing out; in a reply, odd spaces are part of the language.
  const isTold = process.stdout.isTTY && joined.prompt.startsWith('/');
  const answer = (text: string): string => (isTold ? reveal(text) : text);
  // The first line names servers and tools; their prompts are commands.
  if (options.outputFormat === 'stream-json' || joined.prompt.startsWith('/mcp__'))
    await opened.mcp?.settle(new AbortController().signal);
  const code = await runHeadless({
    host: createCommandHost(opened, factory, place, loaded, trust, debug),
    prompt: joined.prompt,
    typed: joined.typed,
    outputFormat: options.outputFormat,
    includePartialMessages: options.includePartialMessages,
    write: (text) => void (terminated || process.stdout.write(plain(process.stdout, answer(text)))),
    writeError: (text) => void (terminated || process.stderr.write(plain(process.stderr, reveal(text)))),
    now: () => Date.now(),
    tools: opened.tools(),
    skills: opened.skills.found.skills.filter(({ kind }) => kind === 'skill').map(({ name }) => name),
    ...(opened.mcp && { servers: opened.mcp.status() }),
  });
  await agent.close();
  process.off('SIGINT', onInterrupt);
  for (const { signal, handler } of endings) process.off(signal, handler);
  return interrupted ? EXIT.interrupted : code;
}
