/** Marks around text of others that it cannot imitate. Pure. */

/** A tag with this name, and with a number if the text contains such a tag: the text cannot close its own frame. */
export function unusedTag(name: string, text: string): string {
  const used = new Set<number>();
  for (const [, number = '1'] of text.matchAll(new RegExp(`<\\s*/?\\s*${name}(?:-(\\d+))?`, 'gi')))
    used.add(Number(number));
  let number = 1;
  while (used.has(number)) number++;
  return number === 1 ? name : `${name}-${number}`;
}

/** A word that text of others cannot know, from a new id. Only its end is random: ids begin with the time. */
export function wordOf(id: string): string {
  return id.slice(-8);
}

/** Text between two lines that are a word which it cannot know. */
export function betweenLines(text: string, word: string): string {
  return `${word}\n${text}\n${word}`;
}
