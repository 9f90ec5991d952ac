/** The texts and the image with which a model is examined. Pure. */
import { crc32, deflateSync } from 'node:zlib';

export const NEEDLE_ANSWER = 'quartz-4718';
export const NEEDLE_QUESTION =
  'One sentence above says which word opens the harbour gate. Answer with that word only, exactly as written.';
const NEEDLE = `The word that opens the harbour gate is ${NEEDLE_ANSWER}.`;

const who = ['The baker', 'A sailor', 'The teacher', 'Our neighbor', 'The gardener', 'A child', 'The doctor'];
const did = ['carried', 'painted', 'found', 'repaired', 'sold', 'counted', 'remembered', 'forgot'];
const what = ['a wooden chair', 'three letters', 'the old bicycle', 'a basket of pears', 'the blue door'];
const when = ['before noon', 'after the rain', 'in the evening', 'on the way home', 'without a word'];

/**
 * Sentences of everyday words, about `characters` long. With the same seed a longer text begins with the shorter one, so
 * that a cache can serve that part.
 */
export function fillerText(characters: number, seed: number, hasNeedle = false): string {
  let state = Math.floor(seed * 2 ** 31) || 1;
  const one = (words: readonly string[]): string => {
    state = (state * 48_271) % 2_147_483_647;
    return words[state % words.length] ?? '';
  };
  const sentences: string[] = [];
  let length = 0;
  while (length < characters) {
    const isPlace = hasNeedle && sentences.length === NEEDLE_AFTER;
    const sentence = isPlace ? NEEDLE : `${one(who)} ${one(did)} ${one(what)} ${one(when)}.`;
    sentences.push(sentence);
    length += sentence.length + 1;
  }
  return sentences.join(' ');
}

/** Sentences before the one to find. */
const NEEDLE_AFTER = 20;

/** A red square as PNG, in base64: large enough for every model. */
export function redImage(size = 64): string {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(size * 3, Buffer.from([230, 20, 20]))]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: size }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]).toString('base64');
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body) >>> 0, 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
