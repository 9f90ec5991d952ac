// A language server that does what its mode says: an error for each line with "ERROR", a warning for "WARN".
import { writeSync } from 'node:fs';

const [mode] = process.argv.slice(2);
const texts = new Map();
let input = Buffer.alloc(0);

const send = (message) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
};
const flood = (bytes = Buffer.alloc(65536, 32)) => {
  for (;;) {
    try {
      writeSync(1, bytes);
    } catch (error) {
      // The pipe is full.
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};
const problemsOf = (uri) =>
  (texts.get(uri) ?? '').split('\n').flatMap((line, at) => {
    const severity = line.includes('ERROR') ? 1 : line.includes('WARN') ? 2 : 3;
    const start = { line: at, character: 0 };
    return [{ range: { start, end: start }, severity, message: `about ${line}`, code: 'fake' }];
  });
const publish = (uri, version) => {
  if (mode === 'publishes')
    send({
      method: 'textDocument/publishDiagnostics',
      params: { uri, version, diagnostics: problemsOf(uri) },
    });
};

const handlers = {
  initialize() {
    if (mode === 'never-starts') return undefined;
    return { capabilities: mode === 'publishes' ? {} : { diagnosticProvider: {} } };
  },
  'textDocument/didOpen'({ textDocument: { uri, text, version } }) {
    texts.set(uri, text);
    publish(uri, version);
  },
  'textDocument/didChange'({ textDocument: { uri, version }, contentChanges: [{ text }] }) {
    texts.set(uri, text);
    publish(uri, version);
  },
  'textDocument/diagnostic'({ textDocument: { uri } }) {
    if (mode === 'dies') process.exit(3);
    if (mode === 'hangs') return undefined;
    if (mode === 'floods') flood();
    if (mode === 'chatters') {
      const body = JSON.stringify({ jsonrpc: '2.0', method: 'telemetry/event', params: {} });
      flood(Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`));
    }
    if (mode === 'huge') {
      process.stdout.write('Content-Length: 99999999999\r\n\r\n');
      flood();
    }
    if (mode === 'deep') {
      const body = `{"jsonrpc":"2.0","method":"x","params":{"a":${'['.repeat(2000)}${']'.repeat(2000)}}}`;
      process.stdout.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    }
    if (mode === 'lies') return { kind: 'full', items: [7, { message: 3 }, { range: 'x', message: 'y' }] };
    return { kind: 'full', items: problemsOf(uri) };
  },
};

process.stdin.on('data', (chunk) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const end = input.indexOf('\r\n\r\n');
    const length = Number(/Content-Length: (\d+)/.exec(input.subarray(0, Math.max(end, 0)))?.[1] ?? -1);
    if (end === -1 || input.length < end + 4 + length) return;
    const message = JSON.parse(input.subarray(end + 4, end + 4 + length));
    input = input.subarray(end + 4 + length);
    const result = handlers[message.method]?.(message.params);
    if (message.id !== undefined && message.method !== undefined && result !== undefined)
      send({ id: message.id, result });
  }
});
if (mode === 'stays') process.stdin.on('end', () => setInterval(() => {}, 1000));
