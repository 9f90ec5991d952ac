/** The protocol with one language server. Loads the JSON-RPC library: import this module on first use. */
import { pathToFileURL } from 'node:url';
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import * as z from 'zod';
import type { FoundProgram } from './findProgram.ts';
import { BoundedMessageReader } from './messageReader.ts';
import { type Problem, parseDiagnostics, parseTsserver } from './problems.ts';
import type { ServerProcess } from './serverProcess.ts';
import type { ServerRow } from './serverTable.ts';

/** Milliseconds after a report in which a server that reports by itself may correct it. */
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
