import type { HttpAnswer } from '../../../src/model/http/types.ts';

/** A response without a server. */
export function answerWith(
  body: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(body);
  }
  return { status, headers, body: bytes(), release: () => {} };
}
