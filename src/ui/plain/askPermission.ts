/**
 * Asks for approval in plain mode: reads out the whole preview, then numbered choices. Only an exact answer approves.
 */
import type { PermissionAnswer, PermissionQuestion, Preview } from '../../protocol/permissions.ts';
import { reveal, revealLine } from '../../protocol/text/reveal.ts';
import {
  denial,
  pathText,
  permissionChoices,
  previewNotice,
  reasonItems,
  takesComment,
} from '../dialog/permission.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { sanitizeLine, shownLine, shownText } from '../print/sanitize.ts';
import { choiceOf, choiceText, type Dialogue, TYPED_TOO_EARLY } from './askDialog.ts';
import { quoted } from './foreignText.ts';
import { plainTheme } from './plainMarkdown.ts';
import { diffText } from './plainPrinter.ts';

interface PermissionPorts {
  readonly words: MarkdownRenderer;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

/** One sentence, or several as a list. */
function reasonWords(reason: string): readonly string[] {
  const items = reasonItems(reason);
  return items.length > 1 ? ['Reason:', ...items] : items.map((only) => `Reason: ${only}`);
}

export function permission(question: PermissionQuestion, ports: PermissionPorts): Dialogue {
  const choices = permissionChoices(question);
  const no = choices.length - 1;
  const letters = choices
    .slice(0, no)
    .map(({ letter }) => letter)
    .join(', ');
  const isCommand = question.preview.type === 'command';
  const notice = previewNotice(question.preview);
  const hasComment = takesComment(question);
  const expected = `Answer ${letters} or n.${hasComment ? ' Text after n tells the model what to do instead.' : ''}`;
  return {
    tell: [
      questionWords(question, isCommand),
      ...(notice === undefined ? [] : [notice]),
      ...previewWords(question.preview, ports.words),
      ...reasonWords(question.reason),
      ...choices.map(choiceText),
      expected,
    ],
    answer(text, isHeard = true) {
      if (!isHeard) return TYPED_TOO_EARLY;
      const [first = '', ...rest] = text.split(/[\s,:]+/);
      const comment = text.slice(first.length).replace(/^[\s,:]+/, '');
      const isCommented = rest.length > 0 && comment !== '';
      const index = choiceOf(choices, isCommented ? first : text);
      // Only a no may be followed by text: "yes, but …" is not a yes.
      if (isCommented && index !== no)
        return `Answer with just ${letters} or n${hasComment ? '; only n may be followed by text' : ''}.`;
      const chosen = choices[index ?? -1];
      if (chosen === undefined)
        return `${JSON.stringify(sanitizeLine(text))} is not one of the choices. Answer with a number, 1 to ${choices.length}.`;
      ports.onAnswer(index === no && hasComment ? denial(comment) : chosen.answer);
      return undefined;
    },
    cancel: () => ports.onAnswer(denial()),
  };
}

function questionWords({ from, worktree, ...question }: PermissionQuestion, isCommand: boolean): string {
  const words = askedWords(question, isCommand);
  if (from === undefined) return words;
  const where = worktree === undefined ? '' : ` In its worktree ${shownLine(worktree)}.`;
  return `Subagent ${shownLine(from)} asks. ${words}${where}`;
}

function askedWords(
  { tool, title, headline }: Pick<PermissionQuestion, 'tool' | 'title' | 'headline'>,
  isCommand: boolean,
): string {
  if (tool === undefined) return `Question: ${shownLine(headline ?? '', isCommand)}`;
  return `Question: may ${shownLine(tool)} do this? ${shownLine(title, isCommand)}`;
}

/** The whole preview: the user must hear everything they approve. */
function previewWords(preview: Preview, words: MarkdownRenderer): string[] {
  switch (preview.type) {
    case 'diff':
      return [
        `${preview.isNew ? 'New file' : 'Change'}: ${pathText(preview.path, preview.realPath)}`,
        ...diffText(preview.diff, Number.POSITIVE_INFINITY, shownText),
      ];
    case 'command':
      return [
        `Command: ${reveal(preview.command, true).trimEnd()}`,
        ...(preview.changed ?? []).map((line) => revealLine(line)),
        `In: ${revealLine(preview.cwd)}`,
        ...(preview.confinement === undefined ? [] : [preview.confinement]),
        ...(preview.description === undefined
          ? []
          : [`Description by the model: ${shownLine(preview.description)}`]),
      ];
    case 'paths':
      return [
        `${shownLine(preview.verb)}:`,
        ...preview.paths.flatMap((path, index) => quoted(pathText(path, preview.realPaths?.[index]))),
      ];
    case 'plan':
      return [
        'Plan:',
        ...quoted(words(preview.plan, { width: 100_000, theme: plainTheme })),
        'End of the plan.',
      ];
    case 'text':
      return [...quoted(reveal(preview.text).trimEnd())];
    // Has its own dialog: `askForm.ts`.
    case 'form':
      return [];
  }
}
