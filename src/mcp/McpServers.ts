/**
 * All MCP servers of the program, shared by its sessions: connected in parallel, on first use. Tools that a server
 * listed in an earlier session are offered at once, so that nothing waits for the server until one is called.
 */
import type { CallTool } from '../protocol/extensions/hooks.ts';
import type {
  McpContent,
  McpPort,
  McpPromptInfo,
  McpServerSource,
  McpServerStatus,
} from '../protocol/extensions/mcp.ts';
import type { Attachment, PromptOp } from '../protocol/ops.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import type { Tool } from '../protocol/tools.ts';
import { type McpDeps, McpServer } from './McpServer.ts';
import { contentOf } from './outcome.ts';

/**
 * Requests wait for servers until this many milliseconds after their start; tools of later servers are offered from
 * then on.
 */
const SETTLE_MS = 5000;
/**
 * Milliseconds after a request was sent until the other servers are started; a quick reply may already end the turn.
 */
const REST_AFTER_MS = 100;

type TellUser = (text: string) => void;

export class McpServers implements McpPort {
  readonly #deps: McpDeps;
  #servers: readonly McpServer[];
  #prompts: readonly McpPromptInfo[] = [];
  /** The sessions that use the servers, each with how its user is told of a failure. */
  readonly #users = new Set<TellUser>();
  /** Servers whose failure the user knows of. */
  readonly #told = new Set<McpServer>();
  #startedAtMs: number | undefined;
  /** Resolves when the lists of earlier sessions have been read. */
  #recalled: Promise<unknown> = Promise.resolve();
  #rest: NodeJS.Timeout | undefined;

  constructor(sources: readonly McpServerSource[], deps: McpDeps) {
    this.#deps = deps;
    this.#servers = sources.map((source) => new McpServer(source, deps));
  }

  /** Replaces the servers: those that stay keep their connection, the others are closed. */
  async replace(sources: readonly McpServerSource[]): Promise<void> {
    const before = new Map(this.#servers.map((server) => [JSON.stringify(server.source), server]));
    this.#servers = sources.map((source) => {
      const id = JSON.stringify(source);
      const known = before.get(id);
      before.delete(id);
      return known ?? new McpServer(source, this.#deps);
    });
    // Requests wait for the new ones.
    if (this.#startedAtMs !== undefined) {
      this.#startedAtMs = undefined;
      this.#rest = undefined;
      this.start();
    }
    await Promise.all([...before.values()].map((server) => server.close()));
  }

  /** Returns the tools known right now. Their names are unique because server names are. */
  tools(): readonly Tool[] {
    return this.#servers.flatMap((server) => server.tools());
  }

  prompts(): readonly McpPromptInfo[] {
    const now = this.#servers.flatMap((server) => server.prompts());
    const isSame = now.length === this.#prompts.length && now.every((one, at) => one === this.#prompts[at]);
    if (!isSame) this.#prompts = now;
    return this.#prompts;
  }

  resources(): readonly string[] {
    return this.#servers.flatMap((server) => server.resources().map((uri) => `${server.source.name}:${uri}`));
  }

  async getPrompt(prompt: McpPromptInfo, input: Readonly<Record<string, string>>): Promise<McpContent> {
    const server = this.#named(prompt.server);
    return server?.getPrompt(prompt, input) ?? { problem: `There is no MCP server "${prompt.server}".` };
  }

  /** Reads a resource named `server:uri`; undefined if there is no such server. Never rejects. */
  async readResource(named: string, signal: AbortSignal): Promise<McpContent | undefined> {
    const at = named.indexOf(':');
    return this.#named(named.slice(0, at))?.readResource(named.slice(at + 1), signal);
  }

  async callTool(
    { server, tool, input, timeoutMs }: Parameters<CallTool>[0],
    signal: AbortSignal,
  ): ReturnType<CallTool> {
    const named = this.#named(server);
    if (named === undefined)
      return { ok: false, problem: `there is no MCP server "${server}"`, isMissing: true };
    try {
      const result = await named.call(tool, input, { signal, timeoutMs, onProgress: () => undefined });
      const { text } = contentOf(result.content, { name: tool, seesImages: false });
      if (result.isError === true) return { ok: false, problem: `the tool failed: ${text}` };
      return { ok: true, text };
    } catch (error) {
      return {
        ok: false,
        problem: error instanceof Error ? error.message : String(error),
        isMissing: true,
      };
    }
  }

  /** Attaches the resources that a prompt mentions, up to `maxCharacters`. Never rejects. */
  expand(prompt: PromptOp, signal: AbortSignal, maxCharacters: number): Promise<PromptOp> {
    return withResources(prompt, this, { signal, maxCharacters });
  }

  #named(name: string): McpServer | undefined {
    return this.#servers.find(({ source }) => source.name === name);
  }

  status(): ReturnType<McpPort['status']> {
    return this.#servers.map((server) => server.status());
  }

  /** Starts connecting to the servers whose tools are unknown, once. */
  start(): void {
    if (this.#startedAtMs !== undefined) return;
    this.#startedAtMs = performance.now();
    this.#recalled = Promise.all(
      this.#servers.map(async (server) => {
        await server.recall();
        if (!server.isKnown) server.connect().catch(() => this.#announce(server));
      }),
    );
  }

  /** Waits for the servers that requests wait for: those whose tools are unknown. */
  async settle(signal: AbortSignal): Promise<void> {
    this.start();
    await this.#recalled;
    // The limit counts from the start: a server that hangs delays only the first requests.
    const leftMs = (this.#startedAtMs ?? 0) + SETTLE_MS - performance.now();
    await this.#connected(({ isKnown }) => !isKnown, signal, leftMs);
  }

  /**
   * Called when a request was sent: connects to the other servers in the background, as their tools may have changed.
   */
  underway(): void {
    this.#rest ??= setTimeout(
      () => this.#connectRest((server) => this.#announce(server)),
      REST_AFTER_MS,
    ).unref();
  }

  async connectAll(signal: AbortSignal, timeoutMs = SETTLE_MS): Promise<void> {
    this.start();
    await this.#recalled;
    // The caller shows the state of every server.
    this.#connectRest(() => undefined);
    await this.#connected(() => true, signal, timeoutMs);
  }

  #connectRest(onFailed: (server: McpServer) => void): void {
    if (this.#users.size === 0) return;
    for (const server of this.#servers)
      if (server.status().state.type === 'pending') server.connect().catch(() => onFailed(server));
  }

  /** Tells the user once that a server could not be used from the start, as the model lacks its tools. */
  #announce(server: McpServer): void {
    const tell = [...this.#users].at(-1);
    if (tell === undefined || server.isStopped || this.#told.has(server)) return;
    this.#told.add(server);
    const { name, state } = server.status();
    if (state.type === 'needs-auth') tell(`MCP server ${name} needs a login: clawdcode mcp login ${name}`);
    if (state.type === 'failed')
      tell(`MCP server ${name} failed: ${visibleLine(state.reason, 300).replace(/\.$/, '')} · /mcp`);
  }

  /** Resolves when no such server is connecting any more, at most after `timeoutMs`. */
  async #connected(
    matters: (server: McpServer) => boolean,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<void> {
    const under = this.#servers.filter(
      (server) => server.status().state.type === 'connecting' && matters(server),
    );
    if (under.length === 0 || signal.aborted || timeoutMs <= 0) return;
    let stop = (): void => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const timer = setTimeout(stop, timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    await Promise.race([stopped, Promise.allSettled(under.map((server) => server.connect()))]);
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }

  async reconnect(name: string): Promise<ReturnType<McpServer['status']>['state'] | undefined> {
    const server = this.#named(name);
    if (server === undefined) return undefined;
    await server.disconnect();
    await server.connect().catch(() => undefined);
    return server.status().state;
  }

  async setEnabled(name: string, isEnabled: boolean): ReturnType<McpPort['setEnabled']> {
    const server = this.#named(name);
    await server?.setEnabled(isEnabled);
    return server?.status().state;
  }

  /**
   * Registers a session as a user. Its user is told when a server fails at the start. Returns the function to call when
   * it ends; the last one closes all connections.
   */
  retain(tellUser: TellUser = () => undefined): () => Promise<void> {
    const user: TellUser = (text) => tellUser(text);
    this.#users.add(user);
    return async () => {
      if (!this.#users.delete(user) || this.#users.size > 0) return;
      clearTimeout(this.#rest);
      await Promise.all(this.#servers.map((server) => server.close()));
    };
  }
}

// Resources that a prompt mentions as `@server:uri`: read when the prompt is sent, and attached to it.

/** Maximum number of resources per prompt; the model can ask for more. */
const MAX_RESOURCES = 10;
interface Servers {
  status(): readonly McpServerStatus[];
  readResource(named: string, signal: AbortSignal): Promise<McpContent | undefined>;
}

/** Adds the mentioned resources to the prompt, which stays as typed. */
async function withResources(
  prompt: PromptOp,
  servers: Servers,
  { signal, maxCharacters }: { readonly signal: AbortSignal; readonly maxCharacters: number },
): Promise<PromptOp> {
  const names = servers.status().map(({ name }) => name);
  const wanted = namedIn(prompt.typed ?? prompt.text, names).slice(0, MAX_RESOURCES);
  if (wanted.length === 0) return prompt;
  const read = await Promise.all(wanted.map((named) => servers.readResource(named, signal)));
  let room = maxCharacters;
  const attachments = wanted.map((named, at) => {
    const attachment = attachmentOf(named, read[at], room);
    room -= attachment.text.length;
    return attachment;
  });
  return { ...prompt, attachments: [...(prompt.attachments ?? []), ...attachments] };
}

function attachmentOf(named: string, found: McpContent | undefined, room: number): Attachment {
  const name = visibleLine(named, 500);
  const about = { path: named, title: name };
  if (found === undefined || 'problem' in found) {
    const summary = found?.problem ?? 'there is no such server';
    return { ...about, outcome: 'refused', summary, text: `@${name} is not attached:\n${summary}` };
  }
  const images = found.images.map(({ image }) => image);
  const isCut = found.text.length > Math.max(0, room);
  const text = isCut
    ? `${found.text.slice(0, Math.max(0, room)).toWellFormed()}\n(The rest is left out.)`
    : found.text;
  return {
    ...about,
    outcome: 'read',
    summary: isCut ? 'only its beginning' : `${text.split('\n').length} lines`,
    text: `The content of @${name}, as its MCP server returns it:\n${text}`,
    ...(images.length > 0 && { images }),
  };
}

/**
 * Finds each distinct `@server:uri` of a known server; a URI ends at whitespace, and does not include trailing
 * punctuation.
 */
function namedIn(text: string, servers: readonly string[]): readonly string[] {
  const found = [...text.matchAll(/(?<![\w.+-])@([A-Za-z0-9_-]+):(\S+)/g)].flatMap(
    ([, server = '', rest = '']) =>
      servers.includes(server) ? [`${server}:${rest.replace(/[.,;:!?)\]}'"]+$/, '')}`] : [],
  );
  return [...new Set(found)];
}
