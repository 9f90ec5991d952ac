import { isRecord, parseJson } from '../../protocol/json.ts';
import type { Message, ToolMessage } from '../../protocol/messages.ts';

/**
 * Returns the problems of a request, one sentence each; empty if it can be sent. Runs before every send: a problem is a
 * bug of this program, and a server would reject the request anyway. `checked` holds messages whose text was already
 * found valid, so that a long session is not checked again at each step.
 */
export function validateRequest(messages: readonly Message[], checked = new WeakSet<Message>()): string[] {
  const problems: string[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    const at = index;
    const tell = (problem: string): unknown => problems.push(`message ${at} (${message.role}): ${problem}`);
    if (message.role === 'system' && index !== 0) tell('a system message must come first');
    if (message.role === 'tool') tell(`a result of "${message.toolCallId}" that no call asked for`);
    textProblems(message, checked).forEach(tell);
    if (message.role !== 'assistant') continue;
    if (message.toolCalls.length === 0 && message.content.trim() === '') tell('an empty reply');
    for (const call of message.toolCalls) {
      const result = messages[index + 1];
      if (result?.role !== 'tool' || result.toolCallId !== call.id) {
        tell(`call "${call.id}" is not followed by its result`);
        break;
      }
      index++;
      for (const problem of textProblems(result, checked))
        problems.push(`result of "${call.id}": ${problem}`);
    }
    const ids = new Set(message.toolCalls.map((call) => call.id));
    if (ids.size !== message.toolCalls.length || ids.has('')) tell('call ids are not unique');
  }
  if (!messages.some((message) => message.role === 'user')) problems.push('there is no user message');
  return problems;
}

const none: readonly string[] = [];

function textProblems(message: Message, checked: WeakSet<Message>): readonly string[] {
  if (checked.has(message)) return none;
  const problems = hasLoneSurrogate(message) ? ['a lone surrogate'] : [];
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  for (const call of calls) {
    if (!isRecord(parseJson(call.arguments)))
      problems.push(`the arguments of "${call.id}" are not a JSON object`);
  }
  if (problems.length === 0) checked.add(message);
  return problems;
}

function hasLoneSurrogate(message: Message): boolean {
  const texts =
    typeof message.content === 'string'
      ? [message.content]
      : message.content.map((part) => (part.type === 'text' ? part.text : ''));
  return texts.some((text) => /\p{Surrogate}/u.test(text));
}

/** Groups messages that must stay together: a reply with its tool results; other messages are on their own. */
function messageAtoms(messages: readonly Message[]): readonly (readonly Message[])[] {
  const atoms: Message[][] = [];
  for (const message of messages) {
    const open = atoms.at(-1);
    if (isToolMessage(message) && open?.[0]?.role === 'assistant') open.push(message);
    else atoms.push([message]);
  }
  return atoms;
}

function isToolMessage(message: Message): message is ToolMessage {
  return message.role === 'tool';
}

/** Drops results without a call and calls without a result, with a reply that is then empty: servers reject them. */
export function filterOrphanToolMessages(messages: readonly Message[]): readonly Message[] {
  return messageAtoms(messages).flatMap((atom) => {
    const [head, ...results] = atom;
    if (head === undefined || head.role === 'tool') return [];
    if (head.role !== 'assistant') return atom;
    const answers = new Map(results.flatMap((one) => (isToolMessage(one) ? [[one.toolCallId, one]] : [])));
    const calls = head.toolCalls.filter(({ id }) => answers.has(id));
    if (calls.length === 0 && head.content.trim() === '') return [];
    return [{ ...head, toolCalls: calls }, ...calls.flatMap(({ id }) => answers.get(id) ?? [])];
  });
}
