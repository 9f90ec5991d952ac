/** May this call run? The whole preview in words, then numbered answers; nothing but an exact answer approves. */
import type { PermissionAnswer, PermissionQuestion, Preview } from '../../../protocol/permissions.ts';
import { permissionChoices } from '../../components/permissionChoices.ts';
import { pathWords, shownTexts } from '../../components/previewLines.ts';
import type { MarkdownRenderer } from '../../print/markdown.ts';
import { reveal, revealedNotice, revealLine, sanitizeLine } from '../../print/sanitize.ts';
import { plainTheme } from '../markdownWords.ts';
import { diffWords, revealed } from '../toolWords.ts';
import { choiceOf, choose } from './choose.ts';
import type { Dialogue } from './types.ts';

export interface PermissionPorts {
  readonly words: MarkdownRenderer;
  readonly now: () => number;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

/** A sentence, or several as a list. */
function reasonWords(reason: string): readonly string[] {
  const [first, ...more] = reason.split('\n').filter((line) => line.trim() !== '');
  if (first === undefined) return [];
  if (more.length === 0) return [`Reason: ${sanitizeLine(reveal(first))}`];
  return ['Reason:', ...[first, ...more].map((line) => `- ${sanitizeLine(reveal(line))}`)];
}

/** Milliseconds in which nobody can have heard the question: what comes then was meant for something else. */
const UNHEARD_MS = 300;

export function permission(question: PermissionQuestion, ports: PermissionPorts): Dialogue {
  const choices = permissionChoices(question);
  const no = choices.length - 1;
  const letters = choices
    .slice(0, no)
    .map(({ letter }) => letter)
    .join(', ');
  const isCommand = question.preview.type === 'command';
  const notice = revealedNotice(shownTexts(question.preview), isCommand);
  const askedAt = ports.now();
  const take = (index: number, comment: string): void => {
    const chosen = index === no ? undefined : choices[index];
    if (chosen !== undefined) ports.onAnswer(chosen.answer);
    else ports.onAnswer({ behavior: 'deny', ...(comment === '' ? {} : { comment }) });
  };
  const asked = choose(
    [
      `Question: may ${sanitizeLine(question.tool)} do this? ${sanitizeLine(reveal(question.title, isCommand))}`,
      ...(notice === undefined ? [] : [notice]),
      ...previewWords(question.preview, ports.words),
      ...reasonWords(question.reason),
    ],
    choices,
    (index) => take(index, ''),
    () => take(no, ''),
  );
  return {
    ...asked,
    tell: [
      ...asked.tell.slice(0, -1),
      `Answer ${letters} or n. Text after n tells the model what to do instead.`,
    ],
    answer(text) {
      if (ports.now() - askedAt < UNHEARD_MS)
        return 'That line was typed before the question, so it was ignored. Please answer now.';
      const [first = '', ...rest] = text.split(/[\s,:]+/);
      const comment = text.slice(first.length).replace(/^[\s,:]+/, '');
      if (rest.length > 0 && comment !== '') {
        // Only a no can be followed by words: "yes, but …" is not a yes.
        if (choiceOf(choices, first) !== no)
          return `Answer with just ${letters} or n; only n may be followed by text.`;
        take(no, comment);
        return undefined;
      }
      return asked.answer(text);
    },
  };
}

/** All of it: what is approved must have been said. */
function previewWords(preview: Preview, words: MarkdownRenderer): string[] {
  switch (preview.type) {
    case 'diff':
      return [
        `${preview.isNew ? 'New file' : 'Change'}: ${pathWords(preview.path, preview.realPath)}`,
        ...diffWords(preview.diff, Number.POSITIVE_INFINITY, revealed),
      ];
    case 'command':
      return [
        `Command: ${reveal(preview.command, true).trimEnd()}`,
        `In: ${revealLine(preview.cwd)}`,
        ...(preview.confinement === undefined ? [] : [preview.confinement]),
        ...(preview.description === undefined
          ? []
          : [`Description by the model: ${sanitizeLine(reveal(preview.description))}`]),
      ];
    case 'paths':
      return [
        `${sanitizeLine(preview.verb)}:`,
        ...preview.paths.map((path, index) => pathWords(path, preview.realPaths?.[index])),
      ];
    case 'plan':
      return ['Plan:', words(preview.plan, { width: 100_000, theme: plainTheme }), 'End of the plan.'];
    case 'text':
      return [reveal(preview.text).trimEnd()];
  }
}
