/** OAuth logins to MCP servers: once in a browser, then with stored tokens. Loads the SDK. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AuthProvider,
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  refreshAuthorization,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { boundedFetch, type Fetch } from './boundedFetch.ts';

/** The stored data of one server's login. */
export interface AuthRecord {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
  /** Port of the loopback address with which the client was registered. */
  readonly port?: number;
  /** Additional scopes that the server has demanded, separated by spaces; the next login includes them. */
  readonly scope?: string;
}

/** Stores the login of one server. */
export interface AuthStore {
  read(): Promise<AuthRecord | undefined>;
  /** `undefined` deletes it. */
  write(record: AuthRecord | undefined): Promise<void>;
}

/** Sends the stored token, and refreshes it when it has expired. Never opens a browser. */
export function storedAuth(store: AuthStore): AuthProvider {
  return {
    token: async () => (await store.read())?.tokens?.access_token,
    async onUnauthorized({ fetchFn, serverUrl }) {
      const record = (await store.read()) ?? {};
      const { client, tokens, discovery } = record;
      const refreshToken = tokens?.refresh_token;
      if (client === undefined || discovery === undefined || refreshToken === undefined)
        throw new UnauthorizedError('Log in again.');
      const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = discovery;
      const renewed = await refreshAuthorization(authorizationServerUrl, {
        ...(authorizationServerMetadata && { metadata: authorizationServerMetadata }),
        clientInformation: client,
        refreshToken,
        ...(resourceMetadata && { resource: new URL(resourceMetadata.resource ?? serverUrl) }),
        fetchFn,
      }).catch(() => {
        throw new UnauthorizedError('Log in again.');
      });
      await store.write({ ...record, tokens: { ...tokens, ...renewed } });
    },
  };
}

/** Maximum characters of the scopes that a login asks for. */
const MAX_SCOPE = 2000;

/** Joins lists of scopes, which are separated by spaces. */
function scopesOf(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = [...new Set(lists.flatMap((list = '') => list.split(' ')))].filter((one) => one !== '');
  return scopes.length === 0 ? undefined : scopes.join(' ').slice(0, MAX_SCOPE);
}

/** The login is valid, but not for this request. */
class WiderLoginNeededError extends Error {
  override readonly name = 'WiderLoginNeededError';
  constructor() {
    super('It needs a login with more rights: the user can log in again with "clawdcode mcp login".');
  }
}

/** Watches for requests that need more scopes, and stores them for the next login. */
export function trackScopes(fetch: Fetch, store: AuthStore | undefined): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.status !== 403 || store === undefined) return response;
    const { error, scope } = extractWWWAuthenticateParams(response);
    if (error !== 'insufficient_scope') return response;
    await response.body?.cancel();
    const record = await store.read();
    const wanted = scopesOf(record?.tokens?.scope, record?.scope, scope);
    if (wanted !== undefined && wanted !== record?.scope) await store.write({ ...record, scope: wanted });
    throw new WiderLoginNeededError();
  };
}

/** Maximum size of an answer during a login: metadata and tokens are a few kilobytes. */
const MAX_ANSWER_BYTES = 2 ** 20;

interface LoginPorts {
  readonly fetch: Fetch;
  /** Shows the URL that the user has to visit. */
  readonly onAddress: (address: URL) => void | Promise<void>;
  /** Ends the login, including its requests. */
  readonly signal: AbortSignal;
  /** A client registered by hand, for servers without automatic registration. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Port of the loopback address; default: any free port. */
  readonly port?: number | undefined;
}

const TIMED_OUT = 'The login timed out.';

/** Logs in. Rejects with the reason for a failure; when it resolves, the store has the tokens. */
export async function login(serverUrl: URL, store: AuthStore, ports: LoginPorts): Promise<void> {
  const { signal, clientId, clientSecret } = ports;
  const fetch = boundedFetch(
    (url, init) => ports.fetch(url, { ...init, signal: AbortSignal.any([signal, init?.signal ?? signal]) }),
    { maxBytes: MAX_ANSWER_BYTES },
  );
  const before = await store.read();
  const state = randomBytes(24).toString('base64url');
  const callback = await listen(state, [
    ports.port ?? before?.port ?? 0,
    ...(ports.port === undefined ? [0] : []),
  ]);
  try {
    const redirectUrl = `http://127.0.0.1:${callback.port}/callback`;
    const isSamePort = before?.port === callback.port;
    // A client is registered for its redirect address, so it cannot be reused with another port.
    const given: StoredOAuthClientInformation | undefined =
      clientId === undefined
        ? isSamePort
          ? before?.client
          : undefined
        : { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) };
    const challenge = await challengeOf(serverUrl, fetch);
    const scope = scopesOf(before?.scope, challenge.scope);
    let record: AuthRecord = {
      port: callback.port,
      ...(given && { client: given }),
      ...(before?.scope !== undefined && { scope: before.scope }),
    };
    let verifier = '';
    const provider: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: {
        client_name: 'ClawdCode',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      state: () => state,
      clientInformation: () => record.client,
      saveClientInformation: (client) => {
        record = { ...record, client };
      },
      tokens: () => record.tokens,
      saveTokens: (tokens) => {
        record = { ...record, tokens };
      },
      discoveryState: () => record.discovery,
      saveDiscoveryState: (discovery) => {
        record = { ...record, discovery };
      },
      saveCodeVerifier: (text) => {
        verifier = text;
      },
      codeVerifier: () => verifier,
      async redirectToAuthorization(address) {
        // Never let the browser open other schemes: they could start programs or open files.
        if (!/^https?:$/.test(address.protocol))
          throw new Error('The server’s login page is not an http or https address.');
        await ports.onAddress(address);
      },
    };
    const options = { serverUrl, fetchFn: fetch, ...challenge, ...(scope !== undefined && { scope }) };
    if ((await auth(provider, options)) === 'REDIRECT') {
      const { code, iss } = await callback.answer(signal);
      await auth(provider, { ...options, authorizationCode: code, ...(iss !== undefined && { iss }) });
    }
    await store.write(record);
  } catch (cause) {
    throw signal.aborted ? new Error(TIMED_OUT, { cause }) : cause;
  } finally {
    callback.close();
  }
}

/** Returns where the server says its tokens are issued, and the scopes that they need. */
async function challengeOf(url: URL, fetch: Fetch): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/list' }),
  });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}

interface Callback {
  readonly port: number;
  /** Resolves to the browser's redirect. Rejects with the server's error, or when the signal aborts. */
  answer(signal: AbortSignal): Promise<{ readonly code: string; readonly iss?: string | undefined }>;
  close(): void;
}

/** Listens on loopback for the browser's redirect; accepts only one with our own state. */
async function listen(state: string, ports: readonly number[]): Promise<Callback> {
  let settle:
    | { resolve: (answer: { code: string; iss?: string }) => void; reject: (error: Error) => void }
    | undefined;
  const answered = new Promise<{ code: string; iss?: string }>((resolve, reject) => {
    settle = { resolve, reject };
  });
  answered.catch(() => undefined);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    // Any program on this machine can send requests here, even with invalid paths (`//`).
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1') ?? new URL('http://127.0.0.1');
    const { pathname, searchParams } = url;
    const code = searchParams.get('code');
    const iss = searchParams.get('iss');
    const isOurs = pathname === '/callback' && searchParams.get('state') === state;
    const isDone = isOurs && code !== null;
    response.writeHead(isOurs ? 200 : 404, {
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
    });
    response.end(isDone ? 'You are logged in. You can close this page.\n' : 'You are not logged in.\n');
    if (!isOurs) return;
    if (code !== null) settle?.resolve({ code, ...(iss !== null && { iss }) });
    else settle?.reject(new Error('The server did not log you in.'));
  };
  const server = await firstFree(onRequest, ports);
  return {
    port: (server.address() as AddressInfo).port,
    answer: (signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => reject(new Error(TIMED_OUT));
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop, { once: true });
        answered.then(resolve, reject);
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function firstFree(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  ports: readonly number[],
): Promise<Server> {
  for (const [at, port] of ports.entries()) {
    const server = createServer(onRequest);
    const problem = await new Promise<Error | undefined>((resolve) => {
      server.once('error', resolve);
      server.listen(port, '127.0.0.1', () => resolve(undefined));
    });
    if (problem === undefined) return server;
    if (at === ports.length - 1) throw new Error(`Port ${port} cannot be used: ${problem.message}`);
  }
  throw new Error('No free port for the login.');
}
