/** What the error codes of failed connections mean, Node's and our own, and what to do about each. */
import type { ModelErrorKind } from '../protocol/models/model.ts';
import { REPLY_TOO_LARGE } from '../protocol/text/boundedJson.ts';

interface NetworkFailure {
  readonly kind: ModelErrorKind;
  /** The event; `{url}` stands for the address, `{other}` for the one that the error message contains in `<>`. */
  readonly what: string;
  readonly next: string;
  /** `later`: only once the server has answered before, so that the address is not a typo. */
  readonly retry: 'always' | 'never' | 'later';
}

/** Our own code for a redirect to another host, which is not followed. */
export const REDIRECTED = 'ERR_REDIRECTED_ELSEWHERE';
/** Our own code for a redirect to something else than http or https, which is not followed. */
export const REDIRECTED_TO_SCHEME = 'ERR_REDIRECTED_TO_SCHEME';
/** Our own code for too many redirects on one host. */
export const TOO_MANY_REDIRECTS = 'ERR_REDIRECTS_WITHOUT_END';
/** Our own codes for a proxy that rejects our credentials or does not forward the request. */
export const PROXY_AUTH = 'ERR_PROXY_AUTH';
export const PROXY_FAILED = 'ERR_PROXY_FAILED';

/** Maximum bytes of headers in an answer, as in browsers. Some gateways exceed Node's own limit of 16 kB. */
export const MAX_HEADER_BYTES = 256 * 1024;

const checkNetwork = 'Check the network connection (and the proxy or VPN, if there is one).';

const table: readonly (readonly [RegExp, NetworkFailure])[] = [
  [
    new RegExp(REDIRECTED),
    {
      kind: 'bad_url',
      what: '{url} redirects to {other}. The conversation was not sent there.',
      next: 'If that is where it should go, make it the base URL (--base-url, OPENAI_BASE_URL or "baseUrl").',
      retry: 'never',
    },
  ],
  [
    new RegExp(REDIRECTED_TO_SCHEME),
    {
      kind: 'bad_url',
      what: '{url} redirects to a {other} address. The conversation was not sent there.',
      next: 'A model server does not do this: check the base URL, and the proxy if there is one.',
      retry: 'never',
    },
  ],
  [
    new RegExp(TOO_MANY_REDIRECTS),
    {
      kind: 'bad_url',
      what: 'There were too many redirects at {url}.',
      next: 'Check the base URL (--base-url, OPENAI_BASE_URL or "baseUrl"), and the gateway in front of the server.',
      retry: 'never',
    },
  ],
  [
    new RegExp(PROXY_AUTH),
    {
      kind: 'network',
      what: 'The proxy {other} requires a user name and password (407).',
      next: 'Add them to HTTPS_PROXY or HTTP_PROXY: http://user:password@host:port.',
      retry: 'never',
    },
  ],
  [
    new RegExp(PROXY_FAILED),
    {
      kind: 'network',
      what: 'The proxy {other} did not forward the request to {url}.',
      next: 'Check HTTPS_PROXY and HTTP_PROXY and that the proxy is running; NO_PROXY names hosts to reach directly.',
      retry: 'later',
    },
  ],
  [
    new RegExp(REPLY_TOO_LARGE),
    {
      kind: 'bad_request',
      what: 'The reply from {url} was aborted: it contains {other}.',
      next: 'No model writes that much. Try again, or use another model or server.',
      retry: 'never',
    },
  ],
  [
    /ECONNREFUSED/,
    {
      kind: 'network',
      what: 'Nothing answers at {url} (connection refused).',
      next: 'Start the server, or correct the base URL (--base-url, OPENAI_BASE_URL or "baseUrl").',
      retry: 'later',
    },
  ],
  [
    /ENOTFOUND|getaddrinfo EINVAL/,
    {
      kind: 'network',
      what: 'The host name in {url} was not found (DNS).',
      next: 'Check the network connection and the spelling of the base URL.',
      retry: 'later',
    },
  ],
  [
    /EAI_AGAIN/,
    {
      kind: 'network',
      what: 'The host name in {url} could not be looked up (DNS).',
      next: checkNetwork,
      retry: 'always',
    },
  ],
  [
    /ALTNAME_INVALID/,
    {
      kind: 'network',
      what: 'The TLS certificate of {url} is for another host.',
      next: 'Use the name in the certificate in the base URL.',
      retry: 'never',
    },
  ],
  [
    /CERT_NOT_YET_VALID/,
    {
      kind: 'network',
      what: 'The TLS certificate of {url} is not valid yet.',
      next: "Check this machine's clock.",
      retry: 'never',
    },
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|CERT_(?!HAS_EXPIRED)|ERR_TLS_CERT/,
    {
      kind: 'network',
      what: 'The TLS certificate of {url} is not trusted.',
      next: 'If a company proxy or a private authority signed it, name its certificate in NODE_EXTRA_CA_CERTS.',
      retry: 'never',
    },
  ],
  [
    /CERT_HAS_EXPIRED/,
    {
      kind: 'network',
      what: 'The TLS certificate of {url} has expired.',
      next: "Check this machine's clock; otherwise the server's certificate must be renewed.",
      retry: 'never',
    },
  ],
  [
    /HPE_HEADER_OVERFLOW/,
    {
      kind: 'network',
      what: `The server at {url} sent more than ${MAX_HEADER_BYTES / 1024} kB of headers.`,
      next: 'A gateway or proxy in front of the server adds them (cookies, policies): fix it or bypass it.',
      retry: 'never',
    },
  ],
  [
    // The last alternatives: a body that is not compressed as its headers say.
    /EPROTO|ERR_SSL|WRONG_VERSION|HPE_|\bZ_DATA_ERROR|ERR_(?:_ERROR_FORMAT|BROTLI)|ZSTD_error/,
    {
      kind: 'bad_url',
      what: 'The server at {url} does not speak the expected protocol.',
      next: 'Check whether the base URL should use http or https, and its port.',
      retry: 'never',
    },
  ],
  [
    /ERR_INVALID_(?:URL|PROTOCOL)|ERR_UNESCAPED_CHARACTERS/,
    {
      kind: 'bad_url',
      what: '{url} is not a usable URL.',
      next: 'Give a base URL such as https://api.openai.com/v1 (--base-url, OPENAI_BASE_URL or "baseUrl").',
      retry: 'never',
    },
  ],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL/,
    {
      kind: 'network',
      what: '{url} cannot be reached.',
      next: checkNetwork,
      retry: 'always',
    },
  ],
  [
    /ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE/,
    {
      kind: 'network',
      what: 'The connection to {url} broke.',
      next: checkNetwork,
      retry: 'always',
    },
  ],
];

/** Looks up the first known code or message. */
export function readNetworkFailure(signs: string): NetworkFailure | undefined {
  return table.find(([pattern]) => pattern.test(signs))?.[1];
}
