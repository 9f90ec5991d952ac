/**
 * One MCP server: connects on demand, reconnects after the server dies, and keeps its last list of tools, even between
 * sessions. Only `call` throws because of a server, with errors that say what to do.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type McpContent,
  type McpPromptInfo,
  type McpServerSource,
  type McpServerState,
  type McpServerStatus,
  mcpTarget,
  mcpTransport,
  type OpenHostChannel,
} from '../protocol/extensions/mcp.ts';
import type { McpToolDefinition } from '../protocol/permissions.ts';
import { type SettingsPrograms, serverProgram, serverRole } from '../protocol/settingsPrograms.ts';
import { visibleLine, visibleText } from '../protocol/text/visible.ts';
import type { Tool } from '../protocol/tools.ts';
import type {
  CallOptions,
  ConnectEndpoint,
  Connection,
  ConnectPorts,
  UrlElicitationRequired,
} from './connect.ts';
import { digestOf } from './definition.ts';
import { endpointOf, type Variables } from './endpoint.ts';
import type { ListMemory, OfferedTool } from './offeredTools.ts';
import { type CallResult, contentOf } from './outcome.ts';
import { ServerLists } from './ServerLists.ts';
import type { createServerTool } from './serverTool.ts';
import { type ActiveCall, createUserRequests, type UserRequests } from './userRequests.ts';

/** Dependencies shared by all servers. */
export interface McpDeps {
  readonly version: string;
  /** Absolute, links resolved. */
  readonly root: string;
  /** The values of `${NAME}` in definitions. */
  readonly variables: Variables;
  /**
   * The environment of started programs, without our API keys, in addition to the variables of their definition.
   */
  readonly env: Readonly<Record<string, string>>;
  /**
   * For servers that the project does not define, so that the project cannot decide what they run: a PATH without its
   * folders, and an empty folder in which they start if they name none, with an environment (`env`) that does not name
   * the project.
   */
  readonly apart?: {
    readonly folder: string;
    readonly path: string;
    readonly env: Readonly<Record<string, string>>;
  };
  readonly fetchFor: ConnectPorts['fetchFor'];
  /** How programs must be started now; absent = with the user's rights. */
  readonly programs?: SettingsPrograms | undefined;
  /** Why a plugin's server must not be started now. */
  readonly pluginProblem?: ((plugin: string) => Promise<string | undefined>) | undefined;
  /** Returns the store of a server's login. */
  readonly authStoreOf?: (name: string, url: URL) => ConnectPorts['authStore'];
  readonly protocolMemoryOf?: (source: McpServerSource) => ConnectPorts['protocolMemory'];
  readonly listMemoryOf?: (source: McpServerSource) => ListMemory;
  /** True if servers may ask the user, which needs the screen or plain mode. */
  readonly canAskUser?: boolean;
  /** Opens a URL in the user's browser after the user has agreed. */
  readonly openUrl?: (url: string) => void;
  /** Opens a channel to servers inside the driving program; absent if there is none. */
  readonly openHostChannel?: OpenHostChannel | undefined;
  /** Timeout of the handshake, in milliseconds. */
  readonly connectTimeoutMs: number;
}

/** Maximum characters of the log. */
const MAX_LOG = 16_000;
/** Milliseconds to wait for prompts and resources before the tools are offered without them. */
const MORE_MS = 1000;
/** Pages that a call may ask the user to visit. */
const MAX_VISITS = 3;
/** Minimum interval, in milliseconds, between rereads of a list that keeps changing. */
const RELIST_MS = 1000;

export class McpServer {
  readonly source: McpServerSource;
  readonly #deps: McpDeps;
  #state: McpServerState = { type: 'pending' };
  readonly #lists: ServerLists;
  #recalling: Promise<void> | undefined;
  #log = '';
  #opening: Promise<Connection> | undefined;
  #giveUp = new AbortController();
  #connection: Connection | undefined;
  #relisting: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isOff = false;
  readonly #requests: UserRequests;

  constructor(source: McpServerSource, deps: McpDeps) {
    this.source = source;
    this.#deps = deps;
    this.#lists = new ServerLists(
      source,
      source.isHosted === true ? undefined : deps.listMemoryOf?.(source),
      (offered) => this.#portsOf(offered),
    );
    this.#requests = createUserRequests({
      server: source.name,
      isOfProject: source.scope === 'project',
      openUrl: deps.openUrl,
      log: (text) => this.#append(text),
    });
  }

  /** Returns the known tools. Those of a server that has died stay; a call restarts it. */
  tools(): readonly Tool[] {
    if (this.#isOff) return [];
    return this.#lists.tools.map(({ tool }) => tool);
  }

  status(): McpServerStatus {
    const { name, scope, source, definition, isHosted = false } = this.source;
    return {
      ...{ name, scope, source, state: this.#state, log: visibleText(this.#log) },
      problems: this.#lists.problems,
      transport: isHosted ? 'host' : mcpTransport(definition),
      target: isHosted ? name : mcpTarget(definition),
      tools: this.#lists.tools.map(({ offered: { ownName, schema } }) => ({
        ...{ ownName, name: schema.name, description: schema.description },
      })),
    };
  }

  /** Switches the server off or on. When on, it connects, and the state says whether that succeeded. */
  async setEnabled(isEnabled: boolean): Promise<void> {
    if (isEnabled !== this.#isOff) return;
    this.#isOff = !isEnabled;
    await this.disconnect();
    if (isEnabled) await this.connect().catch(() => undefined);
  }

  /** True if the tools are known, even if from an earlier session, or not needed because the server is off. */
  get isKnown(): boolean {
    if (this.#isOff) return true;
    return this.#lists.known !== 'no';
  }

  /** True if its last connection was not wanted any more before it was open. */
  get isStopped(): boolean {
    return this.#isClosed || this.#giveUp.signal.aborted;
  }

  /** Offers what the server listed in an earlier session, until it is connected. Never rejects. */
  recall(): Promise<void> {
    this.#recalling ??= this.#lists.recall();
    return this.#recalling;
  }

  /** Connects unless connected. Rejects with the reason for a failure. */
  connect(): Promise<Connection> {
    if (this.#isOff) return Promise.reject(new Error('It is switched off in this session.'));
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  #portsOf(offered: OfferedTool): Parameters<typeof createServerTool>[2] {
    const { definition, plugin, isHosted, scope } = this.source;
    const configured = scope === 'flag' ? 'dynamic' : scope;
    return {
      definedIn: isHosted === true ? 'sdk' : plugin === undefined ? configured : 'plugin',
      problem: (signal) => this.#problemWith(offered, signal),
      call: (input, options, ask) => this.call(offered.ownName, input, options, ask),
      timeoutMs: definition.timeout,
      isAlwaysLoaded: definition.alwaysLoad === true,
      definition: () => (isHosted === true ? undefined : this.#definitionOf(offered)),
    };
  }

  #definitionOf(offered: OfferedTool): McpToolDefinition {
    const { name: server, definition, plugin, scope } = this.source;
    // The user approves a plugin as a whole, and its folder changes with each version.
    const target = plugin === undefined ? mcpTarget(definition) : `the plugin ${plugin}`;
    const { name: tool, description, parameters } = offered.schema;
    const { title, annotations } = offered;
    const digests = this.#lists.tools.map(({ offered: one }) => [one.schema.name, digestOf(target, one)]);
    return {
      ...{ tool, server, target, title, description, parameters, annotations },
      isOfProject: scope !== 'user' && scope !== 'managed',
      digest: digestOf(target, offered),
      offered: Object.fromEntries(digests),
    };
  }

  /**
   * Connects for a call. Returns why the tool cannot be called, for example because it is no longer the approved one.
   */
  async #problemWith(offered: OfferedTool, signal: AbortSignal): Promise<string | undefined> {
    const isSame = (): boolean => this.#lists.tools.some((one) => one.offered === offered);
    const changed = 'It has changed or removed this tool; check its tools again.';
    if (this.#connection !== undefined) return isSame() ? undefined : changed;
    const over = new AbortController();
    const stopped = once(signal, 'abort', { signal: over.signal }).catch(() => undefined);
    const connecting = this.connect().then(
      () => undefined,
      (error: Error) => visibleLine(error.message, 500),
    );
    const problem = await Promise.race([connecting, stopped.then(() => 'Interrupted.')]);
    over.abort();
    if (problem !== undefined) return problem;
    return isSame() ? undefined : changed;
  }

  async call(
    tool: string,
    input: unknown,
    options: CallOptions,
    ask?: ActiveCall['ask'],
  ): Promise<CallResult> {
    const connection = await this.connect();
    const over = new AbortController();
    const signal = AbortSignal.any([options.signal, over.signal]);
    let ended = (): void => undefined;
    const onHold = (hold: ActiveCall['hold']): void => {
      ended = this.#requests.began({ ask, signal, hold });
    };
    try {
      return await connection.call(tool, input, { ...options, onHold });
    } catch (error) {
      // Some servers list their tools without a login.
      if ((error as Error).name === 'AuthorizationNeededError') {
        await this.disconnect();
        this.#state = { type: 'needs-auth' };
      }
      if ((error as Error).name === 'VisitNeededError')
        throw new Error(await this.#visit(error as UrlElicitationRequired, signal));
      throw error;
    } finally {
      ended();
      over.abort();
    }
  }

  /** Asks the user to visit the pages; returns a text for the model. */
  async #visit({ message, visits }: UrlElicitationRequired, signal: AbortSignal): Promise<string> {
    for (const visit of visits.slice(0, MAX_VISITS)) {
      const { action } = await this.#requests.answer({ ...(visit as object), mode: 'url' }, signal);
      if (action !== 'accept') return `${message} The user declined.`;
    }
    return `${message} The user agreed. Call the tool again once they are done there.`;
  }

  prompts(): readonly McpPromptInfo[] {
    if (this.#isOff) return [];
    return this.#lists.prompts;
  }

  /** Returns the URIs exactly as listed by the server. */
  resources(): readonly string[] {
    if (this.#isOff) return [];
    return this.#lists.resources;
  }

  getPrompt({ ownName }: McpPromptInfo, input: Readonly<Record<string, string>>): Promise<McpContent> {
    return this.#content(`/${ownName}`, (connection) => connection.getPrompt(ownName, input));
  }

  readResource(uri: string, signal: AbortSignal): Promise<McpContent> {
    return this.#content(uri, (connection) => connection.readResource(uri, signal));
  }

  /** Includes images even if the model cannot see them: the caller decides about them. */
  async #content(
    what: string,
    ask: (connection: Connection) => Promise<readonly unknown[]>,
  ): Promise<McpContent> {
    const { name } = this.source;
    try {
      return contentOf(await ask(await this.connect()), {
        name: `${name} ${visibleLine(what, 60)}`,
        seesImages: true,
      });
    } catch (error) {
      return { problem: `The MCP server "${name}" failed: ${visibleLine((error as Error).message, 500)}` };
    }
  }

  /** Closes the connection; the next use opens another. */
  async disconnect(): Promise<void> {
    clearTimeout(this.#relisting);
    this.#relisting = undefined;
    this.#requests.unmute();
    this.#giveUp.abort();
    await this.#opening?.catch(() => undefined);
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(() => undefined);
    this.#state = { type: this.#isOff ? 'disabled' : 'pending' };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.disconnect();
  }

  async #open(): Promise<Connection> {
    this.#state = { type: 'connecting' };
    this.#giveUp = new AbortController();
    let opened: Connection | undefined;
    try {
      if (this.#isClosed) throw new Error('The session has ended.');
      const { plugin } = this.source;
      const problem = plugin && (await this.#deps.pluginProblem?.(plugin));
      if (problem) throw new Error(problem);
      const endpoint = this.#endpoint();
      const { connect } = await import('./connect.ts');
      opened = await connect(
        endpoint,
        this.#ports(endpoint, (reason) => this.#lost(opened, reason)),
      );
      const more = this.#takeMore(opened);
      this.#lists.takeTools(await opened.listTools());
      void more.then(() => this.#lists.remember());
      // Few servers have prompts or resources, so tools do not wait long for them.
      await Promise.race([more, sleep(MORE_MS, undefined, { ref: false })]);
      if (this.#isClosed) throw new Error('The session has ended.');
      this.#connection = opened;
      this.#state = { type: 'connected' };
      return opened;
    } catch (error) {
      await opened?.close().catch(() => undefined);
      const { message: reason, name } = error as Error;
      this.#state = name === 'AuthorizationNeededError' ? { type: 'needs-auth' } : { type: 'failed', reason };
      this.#append(`(${reason})\n`);
      if (!this.#giveUp.signal.aborted) this.#lists.forgetRemembered();
      throw error;
    }
  }

  get #isOfFolder(): boolean {
    const { scope } = this.source;
    return scope === 'project' || scope === 'local';
  }

  get #apart(): McpDeps['apart'] {
    return this.#isOfFolder ? undefined : this.#deps.apart;
  }

  #endpoint(): ConnectEndpoint {
    const { variables, root, openHostChannel } = this.#deps;
    const { name, definition, isHosted } = this.source;
    if (isHosted !== true) {
      const found = endpointOf(definition, variables, root, this.#apart?.folder);
      if ('mistake' in found) throw new Error(found.mistake);
      return found.endpoint;
    }
    if (openHostChannel === undefined) throw new Error('No program drives this session.');
    return { type: 'host', channel: openHostChannel(name) };
  }

  #ports(endpoint: ConnectEndpoint, onClosed: ConnectPorts['onClosed']): ConnectPorts {
    const { version, env, fetchFor, authStoreOf, protocolMemoryOf, canAskUser } = this.#deps;
    const { connectTimeoutMs: timeoutMs } = this.#deps;
    const apart = this.#apart;
    const isApart = endpoint.type === 'stdio' && endpoint.cwd === apart?.folder;
    return {
      ...{ version, fetchFor, timeoutMs, onClosed, signal: this.#giveUp.signal },
      protocolMemory: this.source.isHosted === true ? undefined : protocolMemoryOf?.(this.source),
      authStore: 'url' in endpoint ? authStoreOf?.(this.source.name, endpoint.url) : undefined,
      env:
        endpoint.type === 'stdio'
          ? { ...(isApart ? apart?.env : env), ...(apart && { PATH: apart.path }), ...endpoint.env }
          : {},
      log: (text) => this.#append(text),
      ...{ role: serverRole(this.source.name), programs: this.#deps.programs },
      isApart,
      ofFolder: this.#isOfFolder ? serverProgram(this.source.definition) : undefined,
      onChanged: () => this.#relist(),
      onElicit: canAskUser === true ? this.#requests.answer : undefined,
    };
  }

  #lost(connection: Connection | undefined, reason = 'The connection was closed.'): void {
    if (connection === undefined || this.#connection !== connection) return;
    this.#connection = undefined;
    this.#state = { type: 'failed', reason };
  }

  /** Rereads the lists after a delay, once for all changes announced by then. */
  #relist(): void {
    if (this.#relisting !== undefined) return;
    this.#relisting = setTimeout(() => {
      this.#connection
        ?.listTools()
        .then((tools) => this.#lists.takeTools(tools))
        .then(() => this.#connection && this.#takeMore(this.#connection))
        .then(() => this.#lists.remember())
        .catch((error: Error) => this.#append(`(${error.message})\n`))
        .finally(() => {
          this.#relisting = undefined;
        });
    }, RELIST_MS);
    this.#relisting.unref();
  }

  async #takeMore(connection: Connection): Promise<void> {
    try {
      this.#lists.takeOthers(...(await Promise.all([connection.listPrompts(), connection.listResources()])));
    } catch (error) {
      this.#append(`(${(error as Error).message})\n`);
    }
  }

  #append(text: string): void {
    this.#log = (this.#log + text).slice(-MAX_LOG);
  }
}
