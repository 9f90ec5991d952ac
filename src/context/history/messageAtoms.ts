import type { Message, ToolMessage } from '../../protocol/messages.ts';

/** Messages that may never be parted: a reply with the results of its calls; any other stands alone. */
export function messageAtoms(messages: readonly Message[]): readonly (readonly Message[])[] {
  const atoms: Message[][] = [];
  for (const message of messages) {
    const open = atoms.at(-1);
    if (isToolMessage(message) && open?.[0]?.role === 'assistant') open.push(message);
    else atoms.push([message]);
  }
  return atoms;
}

export function isToolMessage(message: Message): message is ToolMessage {
  return message.role === 'tool';
}

/** Leaves out results that no call asked for, and replies whose calls have no results: a server refuses both. */
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
