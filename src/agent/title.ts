/** A session's title, made by the model: what it is asked, and what of its answer is taken. Pure. */
import { stripVTControlCharacters } from 'node:util';
import { ContextBuilder } from '../context/index.ts';
import type { Message } from '../protocol/messages.ts';

const maxRequestCharacters = 2000;
const maxReplyCharacters = 1000;
/** As long as a line of the list of sessions has room for. */
const maxTitleCharacters = 60;

/** The first words of the request for a title, by which it can be told from others. */
export const titleInstruction = 'You give titles to sessions of a coding assistant.';

/** `request` is what the user asked first, `reply` what came of it. */
export function titlePrompt(request: string, reply: string): readonly Message[] {
  return new ContextBuilder().buildSimpleContext(
    `${titleInstruction} Answer with the title alone: three to seven words in the language of the ` +
      'request, that tell this session from others. Name the thing that is worked on. No quotes, no full stop.',
    `The request:\n${cut(request, maxRequestCharacters)}\n\nThe reply:\n${cut(reply, maxReplyCharacters)}`,
  );
}

/** The title in a model's answer, on one line; undefined where there is none. */
export function cleanTitle(text: string): string | undefined {
  const said = stripVTControlCharacters(text).replace(/<think>[\s\S]*?(<\/think>|$)/g, '');
  const line = said.split(/[\r\n\u2028\u2029]/).find((one) => /[\p{L}\p{N}]/u.test(one));
  if (line === undefined) return undefined;
  const plain = line
    .replace(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, ' ')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(#+ |[*_]*title[*_]*: *)+/i, '')
    .replace(/^["'“”„«‹「『*_`]+|["'“”»›」』*_`.。]+$/g, '')
    .trim();
  return plain === '' ? undefined : shorten(plain);
}

function shorten(title: string): string {
  const characters = [...title];
  if (characters.length <= maxTitleCharacters) return title;
  const head = characters.slice(0, maxTitleCharacters - 1).join('');
  const space = head.lastIndexOf(' ');
  return `${space > maxTitleCharacters / 2 ? head.slice(0, space) : head}…`;
}

/** By code points: half of one is no text. */
function cut(text: string, length: number): string {
  const characters = [...text.slice(0, 2 * length)];
  return characters.length > length || text.length > 2 * length
    ? `${characters.slice(0, length).join('')} …`
    : text;
}
