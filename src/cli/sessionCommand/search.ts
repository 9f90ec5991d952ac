/** `clawdcode session search <words>`: searches all messages and output, and shows how to open the hits. */
import { EXIT } from '../../headless/exitCodes.ts';
import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';
import { formatAge } from '../../ui/print/numbers.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { truncate } from '../../ui/print/width.ts';
import type { Theme } from '../../ui/theme/theme.ts';
import { hitJson, jsonDocument } from './output.ts';
import type { Run } from './withSession.ts';

interface SearchOptions {
  readonly words: readonly string[];
  readonly all: boolean;
  readonly json: boolean;
  readonly limit: number;
}

export const search: Run<SearchOptions> = async (ports, { words, all, json, limit }) => {
  const { output, now } = ports;
  const sessions = await ports.sessions();
  const text = words.join(' ');
  const scope = all ? {} : { project: sessions.projects };
  const hits = await sessions.search(text, {
    ...scope,
    limit,
    onWait: () => output.hint('Indexing new content…'),
  });
  const partial = (await sessions.list(scope)).sessions.filter(({ isPartial }) => isPartial);
  if (partial.length > 0) output.hint(searchedInPart(partial));
  if (json) {
    await output.write(jsonDocument(hits.map(hitJson)));
    return EXIT.ok;
  }
  if (hits.length === 0) {
    const where = all ? 'any project' : 'this project; --all searches every project';
    output.say(`No match for ${JSON.stringify(text)} in ${where}.`);
    return EXIT.ok;
  }
  const { theme, isTerminal } = output;
  const width = isTerminal ? output.width : Number.POSITIVE_INFINITY;
  const blocks = bySession(hits).map(([newest, others]) =>
    [
      headingOf(newest, now(), theme, width),
      ...[newest, ...others].map((hit) => hitLine(hit, theme, width)),
    ].join('\n'),
  );
  if (!(await output.write(`${blocks.join('\n\n')}\n`))) return EXIT.ok;
  const [first] = hits;
  if (first !== undefined) {
    const id = sanitizeLine(first.session.id);
    output.hint(
      `Read on: clawdcode session show ${id} --from ${first.seq} · resume: clawdcode --resume ${id}`,
    );
  }
  return EXIT.ok;
};

const MAX_NAMED = 3;

function searchedInPart(sessions: readonly SessionRecord[]): string {
  const named = sessions.slice(0, MAX_NAMED).map(({ id }) => sanitizeLine(id));
  const more = sessions.length - named.length;
  return `Searched only in part: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}; clawdcode session verify ID says why.`;
}

/** Groups hits by session; the session with the first hit comes first. */
function bySession(hits: readonly SearchHit[]): (readonly [SearchHit, readonly SearchHit[]])[] {
  const groups = new Map<string, [SearchHit, SearchHit[]]>();
  for (const hit of hits) {
    const key = `${hit.session.project}/${hit.session.id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [hit, []]);
    else group[1].push(hit);
  }
  return [...groups.values()];
}

function headingOf({ session }: SearchHit, now: Date, theme: Theme, width: number): string {
  const facts = `  ${formatAge(session.updatedAt, now)}${session.isArchived ? ' · archived' : ''}`;
  const id = sanitizeLine(session.id);
  const room = Math.max(8, width - id.length - facts.length - 2);
  const title = truncate(sanitizeLine(session.title), room);
  return `${theme.accent(id)}  ${theme.strong(title)}${theme.dim(facts)}`;
}

function hitLine({ seq, who, snippet, marks }: SearchHit, theme: Theme, width: number): string {
  const head = `  #${seq} ${sanitizeLine(who)}: `;
  return theme.dim(head) + marked(snippet, marks, Math.max(12, width - head.length), theme);
}

/** Highlights matches in a snippet; truncating and sanitizing do not shift them. */
function marked(snippet: string, marks: SearchHit['marks'], room: number, theme: Theme): string {
  const parts: string[] = [];
  let at = 0;
  let left = room;
  const add = (text: string, paint: (text: string) => string): void => {
    const shown = truncate(sanitizeLine(text), left);
    left -= [...shown].length;
    if (shown !== '') parts.push(paint(shown));
  };
  for (const [start, end] of marks) {
    add(snippet.slice(at, start), theme.text);
    add(snippet.slice(start, end), theme.warning);
    at = end;
  }
  add(snippet.slice(at), theme.text);
  return parts.join('');
}
