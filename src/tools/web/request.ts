/** One GET request to an address that has been checked. No cookies, no referrer, no proxy, no data of the project. */
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { HostAddress } from './resolveHost.ts';

const headers = {
  Accept: 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'Accept-Encoding': 'gzip, deflate, br',
  'Accept-Language': 'en, *;q=0.5',
  // Sites reject requests without a user agent.
  'User-Agent': 'Mozilla/5.0 (compatible; ClawdCode)',
};

/** Resolves with the head of the answer, before its body; rejects with a system or TLS error. */
export function requestPage(
  url: URL,
  addresses: readonly HostAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method: 'GET',
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    path: url.pathname + url.search,
    headers: { Host: url.host, ...headers },
    // A new connection: a shared one might have been opened for another purpose, or to a proxy.
    agent: false,
    lookup: answerWith(addresses),
    signal,
  };
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(options, resolve).on('error', reject).end();
  });
}

/** A resolver with a fixed answer, so that no other address can be substituted between the check and the connection. */
function answerWith(addresses: readonly HostAddress[]): LookupFunction {
  return (hostname, { all }, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(new Error(`${hostname} has no address`), '', 4);
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
