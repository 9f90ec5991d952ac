// A long reply as models write them: headings, prose with styles, lists, code in fences, tables, the same every time.

/** The last words of every reply. */
export const LAST_WORDS = 'These are the last words of the reply.';

/** Markdown of about so many characters, `LAST_WORDS` at its end. */
export function longReply(characters) {
  const parts = [];
  for (let index = 0, length = 0; length < characters - LAST_WORDS.length; index++) {
    const part = sections[index % sections.length](index);
    parts.push(part);
    length += part.length;
  }
  return `${parts.join('')}${LAST_WORDS}`;
}

/** Cut into pieces of so many characters. */
export function pieces(text, size) {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}

const words =
  'the parser keeps every token that it has seen so that a later pass can decide what a name stands for without reading the file again'.split(
    ' ',
  );

const sentence = (seed, many) =>
  Array.from({ length: many }, (_, at) => words[(seed * 7 + at * 3) % words.length]).join(' ');

const sections = [
  (n) => `## Part ${n}: ${sentence(n, 4)}\n\n`,
  (n) =>
    `The **${sentence(n, 2)}** in \`src/parser/${words[n % words.length]}.ts\` ${sentence(n, 30)}, *${sentence(n, 3)}*, and ${sentence(n + 1, 25)}.\n\n`,
  (n) =>
    `- first, ${sentence(n, 12)}\n- then \`${words[n % words.length]}()\` ${sentence(n + 2, 9)}\n- at last ${sentence(n + 4, 14)}\n\n`,
  (n) =>
    `\`\`\`ts\nexport function part${n}(tokens: readonly Token[]): Node | undefined {\n  // ${sentence(n, 8)}\n  for (const [index, token] of tokens.entries()) {\n    if (token.kind === 'name' && index > ${n}) return { type: 'reference', name: token.text };\n  }\n  return undefined;\n}\n\`\`\`\n\n`,
  (n) => `${sentence(n, 40)}. ${sentence(n + 3, 35)}.\n\n`,
  (n) =>
    `| name | kind | meaning |\n| --- | --- | --- |\n| ${words[n % words.length]} | node | ${sentence(n, 5)} |\n| ${words[(n + 5) % words.length]} | token | ${sentence(n + 1, 6)} |\n\n`,
];
