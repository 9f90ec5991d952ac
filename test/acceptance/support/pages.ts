/** A web server on loopback for WebFetch. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Serves each text under its path, with the type of its extension; returns the address. */
export async function servePages(pages: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    const type = request.url?.endsWith('.html') === true ? 'text/html' : 'text/plain';
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` });
    response.end(page ?? 'not found');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => new Promise<void>((done) => void server.close(() => done())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A page with this many sections, each with a heading and a paragraph. */
export function article(sections: number): string {
  const parts = Array.from(
    { length: sections },
    (_, n) => `<h2>Section ${n}</h2><p>${`Paragraph ${n} explains how braces are scanned. `.repeat(30)}</p>`,
  );
  return `<!doctype html><html><head><title>On braces</title></head><body><article><h1>On braces</h1>${parts.join('')}</article></body></html>`;
}
