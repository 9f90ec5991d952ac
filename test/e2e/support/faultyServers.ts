/** Small servers on loopback that fail the way real ones do. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createPlain, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';

export interface FaultyServer {
  readonly port: number;
  /** Requested paths. */
  readonly paths: readonly string[];
  stop(): void;
}

/** Listens until stopped; uses TLS if a certificate is given. */
export async function startServer(answer: RequestListener, certificate?: Certificate): Promise<FaultyServer> {
  const paths: string[] = [];
  const listener: RequestListener = (request, response) => {
    paths.push(request.url ?? '');
    request.resume();
    answer(request, response);
  };
  const server: Server =
    certificate === undefined ? createPlain(listener) : createSecure(certificate, listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    paths,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The same answer to every request. */
export function always(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** An error in the form that most servers use. */
export function refusal(status: number, message: string, code?: string): RequestListener {
  return always(status, { error: { message, ...(code === undefined ? {} : { code }) } });
}

/** A streamed reply of one sentence. */
export function reply(text: string): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = { choices: [{ delta: { content: text }, finish_reason: 'stop' }] };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  };
}

/** Cuts the first reply in the middle of a word. */
export const dying: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('data: {"choices":[{"delta":{"content":"Hal"}}]}\n\n');
  setTimeout(() => response.destroy(), 20);
};

/** One answer per request for a reply; the last one repeats. Requests for the model list are not counted. */
export function inTurn(...answers: RequestListener[]): RequestListener {
  let at = 0;
  return (request, response) => {
    const isReply = request.url?.endsWith('/chat/completions') === true;
    const answer = answers[Math.min(at, answers.length - 1)];
    if (isReply) at += 1;
    if (!isReply || answer === undefined) always(404, {})(request, response);
    else answer(request, response);
  };
}

/** A port on which no process listens. */
export async function closedPort(): Promise<number> {
  const server = createSocketServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise((done) => server.close(done));
  return port;
}

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** The certificate's file, to be trusted. */
  readonly file: string;
}

/** A self-signed certificate for these names; undefined if openssl is missing. */
export function certificateFor(folder: string, names: string, days = 30): Certificate | undefined {
  const name = names.replace(/\W+/g, '-') + days;
  const [key, file] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const rest = [
    '-keyout',
    key,
    '-out',
    file,
    '-days',
    String(days),
    '-subj',
    '/CN=test',
    '-addext',
    `subjectAltName=${names}`,
  ];
  try {
    execFileSync('openssl', [...args, ...rest], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(file), file };
  } catch {
    return undefined;
  }
}
