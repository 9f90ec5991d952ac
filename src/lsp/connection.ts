/** The protocol with one language server. Loads the JSON-RPC library: import this module on first use. */

import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  AbstractMessageReader,
  CancellationTokenSource,
  createMessageConnection,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageConnection,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import * as z from 'zod';
import { parseBoundedJson } from '../protocol/text/boundedJson.ts';
import type { FoundProgram } from './findProgram.ts';
import { type Problem, parseDiagnostics, parseTsserver } from './problems.ts';
import type { ServerProcess } from './serverProcess.ts';
import type { ServerRow } from './serverTable.ts';

/** Milliseconds after a report in which a server that pushes reports may correct it. */
const QUIET_MS = 150;

/** A file as the server knows it. */
export interface OpenFile {
  readonly path: string;
  readonly languageId: string;
  readonly version: number;
  readonly text: string;
}

export interface Connection {
  open(file: OpenFile): Promise<void>;
  change(file: OpenFile): Promise<void>;
  close(path: string): Promise<void>;
  /** Returns the problems of the file in this version. Rejects after the timeout. */
  problems(file: OpenFile, timeoutMs: number): Promise<readonly Problem[]>;
}

interface ConnectOptions {
  readonly row: ServerRow;
  readonly found: FoundProgram;
  readonly root: string;
  readonly version: string;
  readonly timeoutMs: number;
}

const initializedSchema = z.object({
  capabilities: z.object({ diagnosticProvider: z.unknown() }).catch({ diagnosticProvider: undefined }),
});
const publishedSchema = z.object({
  uri: z.string(),
  version: z.number().nullish().catch(undefined),
  diagnostics: z.unknown(),
});

/** Rejects with a reason that is ready to show. */
export async function connect(process: ServerProcess, options: ConnectOptions): Promise<Connection> {
  const { row, found, root, version, timeoutMs } = options;
  const rpc = createMessageConnection(
    new BoundedMessageReader(process),
    new StreamMessageWriter(process.input),
  );
  rpc.onUnhandledNotification(() => undefined);
  void process.ended.then(() => rpc.dispose());
  const published = watchPublished(rpc);
  const settings = row.settings?.(found.interpreter);
  answerRequests(rpc, settings ?? {});
  rpc.listen();
  const uri = pathToFileURL(root).href;
  const answer = await within(
    timeoutMs,
    rpc.sendRequest('initialize', {
      // In a sandbox, the server cannot see this process, and would end itself.
      processId: null,
      clientInfo: { name: 'clawdcode', version },
      rootUri: uri,
      rootPath: root,
      workspaceFolders: [{ uri, name: 'workspace' }],
      capabilities,
      ...(row.options && { initializationOptions: row.options(found.needed) }),
    }),
  );
  const { capabilities: offered } = initializedSchema.parse(answer);
  await rpc.sendNotification('initialized', {});
  if (settings !== undefined) await rpc.sendNotification('workspace/didChangeConfiguration', { settings });
  const ask = askerOf(rpc, {
    ...{ published, reports: found.candidate.reports },
    canAsk: offered.diagnosticProvider != null,
  });
  return {
    open: ({ path, languageId, version: number, text }) =>
      rpc.sendNotification('textDocument/didOpen', {
        textDocument: { uri: uriOf(path), languageId, version: number, text },
      }),
    async change({ path, version: number, text }) {
      await rpc.sendNotification('textDocument/didChange', {
        textDocument: { uri: uriOf(path), version: number },
        contentChanges: [{ text }],
      });
      await rpc.sendNotification('textDocument/didSave', { textDocument: { uri: uriOf(path) } });
    },
    close: (path) => rpc.sendNotification('textDocument/didClose', { textDocument: { uri: uriOf(path) } }),
    problems: (file, ms) => within(ms, ask(file, ms)),
  };
}

const uriOf = (path: string): string => pathToFileURL(path).href;

const capabilities = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: false },
  },
  workspace: { configuration: true, workspaceFolders: true },
};

/** Answers what servers ask of an editor; nothing is changed for them. */
function answerRequests(rpc: MessageConnection, settings: Readonly<Record<string, unknown>>): void {
  rpc.onRequest('workspace/configuration', (params: unknown) => {
    const items = z
      .object({ items: z.array(z.object({ section: z.string().optional() })).max(100) })
      .safeParse(params);
    return (items.data?.items ?? []).map(({ section = '' }) =>
      Object.hasOwn(settings, section) ? settings[section] : null,
    );
  });
  rpc.onRequest('workspace/applyEdit', () => ({ applied: false }));
  for (const method of [
    'client/registerCapability',
    'client/unregisterCapability',
    'window/workDoneProgress/create',
    'window/showMessageRequest',
    'workspace/diagnostic/refresh',
  ])
    rpc.onRequest(method, () => null);
}

interface Published {
  /** Resolves to the next list for this file that is not older than the version, once it is not corrected any more. */
  next(file: OpenFile): Promise<readonly Problem[]>;
}

function watchPublished(rpc: MessageConnection): Published {
  let waiting: { readonly uri: string; readonly version: number; take(list: unknown): void } | undefined;
  rpc.onNotification('textDocument/publishDiagnostics', (params: unknown) => {
    const { data } = publishedSchema.safeParse(params);
    if (data === undefined || data.uri !== waiting?.uri) return;
    if (data.version == null || data.version >= waiting.version) waiting.take(data.diagnostics);
  });
  return {
    next: ({ path, version }) =>
      new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const take = (list: unknown): void => {
          clearTimeout(timer);
          timer = setTimeout(() => {
            waiting = undefined;
            resolve(parseDiagnostics(list));
          }, QUIET_MS).unref();
        };
        waiting = { uri: uriOf(path), version, take };
      }),
  };
}

interface AskOptions {
  readonly published: Published;
  readonly reports: FoundProgram['candidate']['reports'];
  readonly canAsk: boolean;
}

/** TypeScript's own server gives complete lists on request; what typescript-language-server publishes may be old. */
function askerOf(
  rpc: MessageConnection,
  { published, reports, canAsk }: AskOptions,
): (file: OpenFile, timeoutMs: number) => Promise<readonly Problem[]> {
  const request = async (method: string, params: object, timeoutMs: number): Promise<unknown> => {
    const cancel = new CancellationTokenSource();
    const timer = setTimeout(() => cancel.cancel(), timeoutMs).unref();
    return rpc.sendRequest(method, params, cancel.token).finally(() => clearTimeout(timer));
  };
  if (reports === 'as-tsserver')
    return async ({ path }, timeoutMs) => {
      const lists = ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync'].map(async (command) => {
        const params = { command: 'typescript.tsserverRequest', arguments: [command, { file: path }] };
        const { body } = z
          .object({ body: z.unknown() })
          .parse(await request('workspace/executeCommand', params, timeoutMs));
        return parseTsserver(body);
      });
      return (await Promise.all(lists)).flat();
    };
  if (reports === 'by-itself' || !canAsk) return (file) => published.next(file);
  return async ({ path }, timeoutMs) => {
    const params = { textDocument: { uri: uriOf(path) } };
    const { items } = z
      .object({ items: z.unknown() })
      .parse(await request('textDocument/diagnostic', params, timeoutMs));
    return parseDiagnostics(items);
  };
}

/** Rejects after the timeout. */
async function within<T>(timeoutMs: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`It did not answer within ${timeoutMs / 1000} seconds.`)),
      timeoutMs,
    ).unref();
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

// Splits a server's output into messages. The library's own reader searches everything that has arrived for the end of
// a header again with each chunk, so a flood without one would block this program for seconds.

const MAX_HEADER_BYTES = 4096;
const MAX_BODY_BYTES = 16 * 2 ** 20;
/** Bytes of output that count as handling one message. */
const MESSAGE_COST = 2048;

class BoundedMessageReader extends AbstractMessageReader {
  readonly #output: Readable;
  readonly #server: Pick<ServerProcess, 'charge' | 'stop'>;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Undefined while a header is read. */
  #bodyBytes: number | undefined;
  #hasFailed = false;

  constructor(server: Pick<ServerProcess, 'output' | 'charge' | 'stop'>) {
    super();
    this.#output = server.output;
    this.#server = server;
  }

  listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer): void => {
      if (this.#hasFailed) return;
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      try {
        this.#read(callback);
      } catch (error) {
        this.#hasFailed = true;
        this.#chunks = [];
        this.#server.stop((error as Error).message);
      }
    };
    this.#output.on('data', onData);
    return { dispose: () => void this.#output.off('data', onData) };
  }

  /** Handles the complete messages; the text of each is copied once. */
  #read(callback: DataCallback): void {
    while (this.#bytes >= (this.#bodyBytes ?? 1)) {
      const [only] = this.#chunks;
      const all = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
      if (this.#bodyBytes === undefined) {
        const end = all.subarray(0, MAX_HEADER_BYTES).indexOf('\r\n\r\n');
        if (end === -1 && all.length >= MAX_HEADER_BYTES)
          throw new Error('It sent something that is not a message.');
        this.#keep(all, end === -1 ? 0 : end + 4);
        if (end === -1) return;
        this.#bodyBytes = lengthIn(all.toString('latin1', 0, end));
      } else {
        const body = all.toString('utf8', 0, this.#bodyBytes);
        this.#keep(all, this.#bodyBytes);
        this.#bodyBytes = undefined;
        this.#server.charge(MESSAGE_COST);
        callback(parseBoundedJson(body) as Message);
      }
    }
  }

  #keep(all: Buffer, from: number): void {
    this.#chunks = [all.subarray(from)];
    this.#bytes = all.length - from;
  }
}

function lengthIn(header: string): number {
  const bytes = Number(/^content-length: *(\d{1,12})\s*$/im.exec(header)?.[1] ?? Number.NaN);
  if (!(bytes >= 0)) throw new Error('It sent something that is not a message.');
  if (bytes > MAX_BODY_BYTES)
    throw new Error(`It sent a message of more than ${MAX_BODY_BYTES / 2 ** 20} MB.`);
  return bytes;
}
