/** Explains a failed fetch to the model, which must decide what to do next. */

const meanings: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|ENODATA/, 'the name of its host is not known. Check the spelling'],
  [/EAI_AGAIN/, 'the name of its host could not be looked up. Is there a network?'],
  [/ECONNREFUSED/, 'nothing answers there (connection refused)'],
  [/ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL/, 'its host cannot be reached'],
  [/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/, 'its TLS certificate is not trusted or not valid'],
  [
    /EPROTO|ERR_SSL|HPE_|Z_|ERR_.*(?:BROTLI|ZLIB)/,
    'what answers there does not speak the protocol that it should',
  ],
  [/ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE/, 'the connection broke'],
];

/** A sentence; an unknown error is quoted. */
export function describeNetworkError(error: unknown, url: URL): string {
  const signs = signsOf(error);
  const meaning = meanings.find(([pattern]) => pattern.test(signs))?.[1];
  return `${url.href} could not be fetched: ${meaning ?? 'the request failed'}${signs === '' ? '' : ` (${signs})`}.`;
}

/** The code of an error, or of the first of its causes if several addresses were tried. */
function signsOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  return first === undefined ? error.message : signsOf(first);
}
