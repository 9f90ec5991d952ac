/** Finds the JSON object in what a model wrote: alone, in a code block, or after its thoughts. Undefined if none. */
export function jsonIn(text: string): unknown {
  const plain = text.replace(/<think>[\s\S]*?<\/think>/g, '');
  const [from, to] = [plain.indexOf('{'), plain.lastIndexOf('}')];
  if (from === -1 || to < from) return undefined;
  try {
    return JSON.parse(plain.slice(from, to + 1));
  } catch {
    return undefined;
  }
}
