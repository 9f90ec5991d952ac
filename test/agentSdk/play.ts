/** Plays a script through the published Claude Agent SDK, against any program that the SDK can start. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelCall, type Reply, startScriptedModel } from './scriptedModel.ts';
import { type Line, seen } from './seen.ts';

/** The parts of the SDK that scripts use; the package itself is not a dependency of ours. */
export interface AgentSdk {
  query(request: { prompt: string | AsyncIterable<object>; options: object }): Query;
  startup(request: { options: object }): Promise<WarmQuery>;
  createSdkMcpServer(options: object): object;
  tool(name: string, description: string, schema: object, run: (input: never) => Promise<object>): object;
}

/** A program that waits for its prompt. */
interface WarmQuery {
  query(prompt: string): Query;
  close(): void;
}

/** A query: its messages, and its methods by name. */
export type Query = AsyncGenerator<Line> & Record<Method, (...args: unknown[]) => Promise<unknown>>;

type Method =
  | 'accountInfo'
  | 'applyFlagSettings'
  | 'backgroundTasks'
  | 'close'
  | 'getContextUsage'
  | 'initializationResult'
  | 'interrupt'
  | 'mcpServerStatus'
  | 'readFile'
  | 'reconnectMcpServer'
  | 'reinitialize'
  | 'reloadOutputStyles'
  | 'reloadPlugins'
  | 'reloadSkills'
  | 'rewindFiles'
  | 'seedReadState'
  | 'setMaxThinkingTokens'
  | 'setMcpServers'
  | 'setModel'
  | 'setPermissionMode'
  | 'stopTask'
  | 'supportedAgents'
  | 'supportedCommands'
  | 'supportedModels'
  | 'toggleMcpServer'
  | 'usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET';

export interface Kit {
  readonly sdk: AgentSdk;
  /** Schemas for tools. */
  readonly z: { number(): object; string(): object; any(): object };
  /** A file in the working folder. */
  path(name: string): string;
  write(name: string, text: string): Promise<void>;
  /** A file's text; undefined if there is none. */
  read(name: string): Promise<string | undefined>;
  script(...replies: readonly Reply[]): void;
  readonly calls: readonly ModelCall[];
  waitForCalls(count: number): Promise<void>;
  start(prompt: string | AsyncIterable<object>, options?: object): Query;
  /** Starts the program before there is a prompt. */
  startAhead(options?: object): Promise<WarmQuery>;
  /** Runs a query to its end; returns what was seen. */
  run(prompt: string | AsyncIterable<object>, options?: object): Promise<readonly Line[]>;
  /** A query whose prompts are pushed one by one. */
  open(options?: object): Conversation;
}

export interface Conversation {
  readonly query: Query;
  prompt(content: string | readonly object[], more?: object): void;
  /** The first message that matches, of those not examined yet. */
  next(type: string, subtype?: string): Promise<Line>;
  /** All messages so far. */
  readonly messages: readonly Line[];
  end(): Promise<void>;
}

export interface Script {
  readonly name: string;
  /** The options and methods of the SDK that it covers. */
  readonly covers: readonly string[];
  /** The result of the script; compared between programs. */
  play(kit: Kit): Promise<unknown>;
}

export interface Program {
  readonly path: string;
  readonly sdk: AgentSdk;
  readonly z: Kit['z'];
}

/** Time limit of a script, in milliseconds. */
const LIMIT_MS = 90_000;

/** Plays a script with its own folder and home. */
export async function play(script: Script, { path, sdk, z }: Program): Promise<unknown> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-agent-sdk-')));
  const [home, folder] = [join(base, 'home'), join(base, 'folder')];
  await mkdir(home);
  await mkdir(folder);
  await writeFile(join(folder, 'a.txt'), 'one\ntwo\n');
  const model = await startScriptedModel();
  const errors: string[] = [];
  const over = new AbortController();
  const started: Query[] = [];
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-test',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_API_KEY: 'sk-test',
    CLAWDCODE_WIRE: 'anthropic',
  };
  const completed = (given: { readonly env?: object }): object => ({
    cwd: folder,
    model: 'claude-sonnet-5',
    pathToClaudeCodeExecutable: path,
    stderr: (text: string) => errors.push(text),
    abortController: over,
    ...given,
    env: { ...env, ...given.env },
  });
  const start: Kit['start'] = (prompt, options = {}) => {
    const query = sdk.query({ prompt, options: completed(options) });
    started.push(query);
    return query;
  };
  const run: Kit['run'] = async (prompt, options) => {
    const messages: Line[] = [];
    for await (const message of start(prompt, options)) messages.push(message);
    return messages;
  };
  const kit: Kit = {
    ...{ sdk, z, start, run },
    startAhead: (options = {}) => sdk.startup({ options: completed(options) }),
    path: (name) => join(folder, name),
    write: (name, text) => writeFile(join(folder, name), text),
    read: (name) => readFile(join(folder, name), 'utf8').catch(() => undefined),
    script: model.add,
    calls: model.calls,
    waitForCalls: model.waitFor,
    open: (options) => converse(start, options),
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${LIMIT_MS} ms: ${errors.join('')}`)), LIMIT_MS);
  });
  try {
    const found = await Promise.race([script.play(kit), late]).catch((error: Error) => ({
      failed: String(error.message).split('\n')[0],
    }));
    return seen(found, { [folder]: '<folder>', [home]: '<home>' });
  } finally {
    clearTimeout(timer);
    over.abort();
    await Promise.allSettled(started.map((query) => query.return(undefined)));
    await model.stop();
    await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function converse(start: Kit['start'], options: object = {}): Conversation {
  const prompts: object[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  async function* input(): AsyncGenerator<object> {
    for (;;) {
      const next = prompts.shift();
      if (next !== undefined) yield next;
      else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const query = start(input(), options);
  const messages: Line[] = [];
  const waiting = new Set<() => void>();
  let ended: { error?: Error } | undefined;
  const reading = (async () => {
    try {
      for await (const message of query) {
        messages.push(message);
        for (const one of waiting) one();
      }
      ended = {};
    } catch (error) {
      ended = { error: error as Error };
    }
    for (const one of waiting) one();
  })();
  let looked = 0;
  return {
    query,
    messages,
    prompt(content, more = {}) {
      prompts.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more });
      wake();
    },
    async next(type, subtype) {
      for (;;) {
        for (; looked < messages.length; looked++) {
          const message = messages[looked];
          if (message?.type === type && (subtype === undefined || message.subtype === subtype)) {
            looked++;
            return message;
          }
        }
        if (ended !== undefined) throw ended.error ?? new Error(`ended before ${type} ${subtype ?? ''}`);
        await new Promise<void>((resolve) => {
          const one = (): void => {
            waiting.delete(one);
            resolve();
          };
          waiting.add(one);
        });
      }
    },
    async end() {
      isOver = true;
      wake();
      await reading;
    },
  };
}
