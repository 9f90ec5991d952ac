/**
 * The bytes of a request and their hash. A conversation is sent again with every step, and all but its end is as it
 * was: the JSON of a message is made once, its bytes too, and the hash goes on from where the last request's was. Byte
 * for byte the same as `JSON.stringify(toBody(…))`.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Message } from '../protocol/messages.ts';
import type { ModelRequest } from '../protocol/model.ts';
import { type Dialect, shortHash, toBody } from './requestBody.ts';
import { toWireMessage } from './wire.ts';

export interface WrittenBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** As in `SentRequest.hash`. */
  readonly hash: string;
}

export type BodyWriter = (request: ModelRequest, dialect: Dialect) => WrittenBody;

/** JSON of a message; empty for one that is left out. */
interface Known {
  readonly withReasoning: boolean;
  readonly json: Buffer;
}

/** What was hashed of the last request: its pieces one after the other, without its end. */
interface Hashed {
  readonly pieces: readonly Buffer[];
  readonly state: Hash;
}

/** One for each client: it remembers the last request. */
export function createBodyWriter(): BodyWriter {
  const known = new WeakMap<Message, Known>();
  let head = Buffer.alloc(0);
  let last: Hashed = { pieces: [], state: createHash('sha256') };

  const jsonOf = (message: Message, withReasoning: boolean): Buffer => {
    const found = known.get(message);
    if (found?.withReasoning === withReasoning) return found.json;
    const wire = toWireMessage(message, withReasoning);
    const json = Buffer.from(wire === undefined ? '' : JSON.stringify(wire));
    known.set(message, { withReasoning, json });
    return json;
  };

  /** The hash of these pieces, with as much of the last one as they have in common at their beginning. */
  const hashOf = (pieces: readonly Buffer[], end: string): string => {
    const isLonger = last.pieces.every((piece, index) => piece === pieces[index]);
    const state = isLonger ? last.state : createHash('sha256');
    for (const piece of isLonger ? pieces.slice(last.pieces.length) : pieces) state.update(piece);
    last = { pieces, state };
    return shortHash(state.copy().update(end));
  };

  return (request, dialect) => {
    if (dialect.adaptations.length > 0) {
      const text = JSON.stringify(toBody(request, dialect));
      return { bytes: Buffer.from(text), hash: shortHash(createHash('sha256').update(text)) };
    }
    const messages = request.messages.map((message) => jsonOf(message, dialect.returnReasoning));
    const { model, messages: _, ...rest } = toBody({ ...request, messages: [] }, dialect);
    const beginning = `{"model":${JSON.stringify(model)},"messages":[`;
    if (head.toString() !== beginning) head = Buffer.from(beginning);
    const pieces = [head, ...messages.filter(({ length }) => length > 0).flatMap(afterComma)];
    const end = `],${JSON.stringify(rest).slice(1)}`;
    return { bytes: Buffer.concat([...pieces, Buffer.from(end)]), hash: hashOf(pieces, end) };
  };
}

const COMMA = Buffer.from(',');

function afterComma(json: Buffer, index: number): readonly Buffer[] {
  return index === 0 ? [json] : [COMMA, json];
}
